import { REDACTION_RULES } from './redaction-rules.ts';
import { TOKENS } from './redaction-tokens.ts';

/** A text whose credentials are masked, and how many there were. */
export interface Redacted {
  text: string;
  count: number;
}

const LEAST_ENTROPY = 2.4;
/** Words such as `ghp_your_token_here`, and `xxxx`. */
const TOKEN_PLACEHOLDER =
  /^(?:[A-Za-z]?[a-z]{1,20}\d?(?:[-_.]+(?:[A-Za-z]?[a-z]{1,20}\d?|[A-Z]+|\d{1,3}))*|[A-Z]+(?:[-_.]+[A-Z]+)+|[xX*.]{3,}.*)$/;

const tokens = TOKENS.map(([id, start, rest, entropy = LEAST_ENTROPY]) => ({
  id,
  entropy,
  pattern: new RegExp(`^(?:${start})(${rest})`),
}));

/** No shorter word can be a token, and most words are shorter. */
const LONG_WORD = /(?<![!-~])[!-~]{12,}/g;
/** Not within a word, but after an escape: `\\n` in JSON, `%3D` in an address. */
const BEGINNING = '(?<!(?<!\\\\|%[0-9A-F])[A-Za-z0-9])';
/** Letters alone also occur within base64, after `/` or `+`. */
const NOT_IN_BASE64 = '(?<![+/])';

/** All tokens at once, so that a text is read once. */
const ANY_TOKEN = new RegExp(
  `${BEGINNING}(?:${TOKENS.map(
    ([, start, rest]) => `${/^[A-Za-z0-9]+$/.test(start) ? NOT_IN_BASE64 : ''}(?:${start})${rest}`,
  ).join('|')})`,
  'g',
);

/**
 * Masks the known shapes of credentials, and values that are named as one: `[redacted: aws-access-token]`. Takes time
 * linear in the length of the text. A mask is not masked again.
 */
export function redactSecrets(text: string): Redacted {
  let count = 0;
  const maskOf = (id: string) => {
    count += 1;
    return `[redacted: ${id}]`;
  };
  let masked = text.replace(LONG_WORD, (word) =>
    word.replace(ANY_TOKEN, (found) => {
      for (const { id, pattern, entropy } of tokens) {
        const rest = pattern.exec(found)?.[1];
        if (rest === undefined) continue;
        return entropyOf(rest) < entropy || TOKEN_PLACEHOLDER.test(rest) ? found : maskOf(id);
      }
      return found;
    }),
  );
  for (const { id, keyword, pattern, entropy, unlike } of REDACTION_RULES) {
    if (!keyword.test(masked)) continue;
    masked = masked.replace(pattern, (found: string, ...rest: unknown[]) => {
      const kept = (rest.at(-1) as { kept?: string } | string | undefined) ?? '';
      const before = typeof kept === 'string' ? '' : (kept.kept ?? '');
      const secret = found.slice(before.length);
      return unlike.test(secret) || entropyOf(secret) < entropy ? found : before + maskOf(id);
    });
  }
  return { text: masked, count };
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** Masks the credentials in all texts and names of members of a JSON value, in steps of one. No member is lost. */
export function* redactJson<T>(value: T): Generator<void, { value: T; count: number }> {
  let count = 0;
  const mask = (text: string) => {
    const masked = redactSecrets(text);
    count += masked.count;
    return masked.text;
  };
  function* redacted(part: unknown): Generator<void, unknown> {
    if (typeof part === 'string') return mask(part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      const items: unknown[] = [];
      for (const item of part) {
        items.push(typeof item === 'string' ? mask(item) : yield* redacted(item));
        yield;
      }
      return items;
    }
    const nameFor = distinctNames(part);
    const members: [name: string, member: unknown][] = [];
    for (const [name, member] of Object.entries(part)) {
      const masked = typeof member === 'string' ? mask(member) : yield* redacted(member);
      members.push([nameFor(name, mask(name)), masked]);
      yield;
    }
    return Object.fromEntries(members);
  }
  return { value: (yield* redacted(value)) as T, count };
}

/** Numbers the masked names of an object that are equal to another name: `[redacted: jwt]`, `[redacted: jwt] (2)`. */
function distinctNames(original: object): (name: string, masked: string) => string {
  const taken = new Set(Object.keys(original));
  const numbers = new Map<string, number>();
  return (name, masked) => {
    if (name === masked) return name;
    let distinct = masked;
    let number = numbers.get(masked) ?? 1;
    while (taken.has(distinct)) {
      number += 1;
      distinct = `${masked} (${number})`;
    }
    numbers.set(masked, number);
    taken.add(distinct);
    return distinct;
  };
}
