import { CELL_RULES, REDACTION_RULES } from './redaction-rules.ts';
import { TOKENS } from './redaction-tokens.ts';
import { finish } from './time-slices.ts';

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
  return finish(redactInSteps(text));
}

/** Replaces masks by spaces, for what is read from the words around them. */
export function withoutMasks(text: string): string {
  return text.replaceAll(/\[redacted: [a-z0-9-]+\]/g, ' ');
}

/** `redactSecrets` in steps of a few milliseconds: hostile text takes some rules a microsecond per character. */
function* redactInSteps(text: string): Generator<void, Redacted> {
  let count = 0;
  const maskOf = (id: string) => {
    count += 1;
    return `[redacted: ${id}]`;
  };
  let masked = yield* maskTokens(text, maskOf);
  for (const { id, keyword, pattern, entropy, unlike } of REDACTION_RULES) {
    if (!keyword.test(masked)) continue;
    masked = yield* replaceInSteps(masked, pattern, ({ 0: found, groups }) => {
      const kept = groups?.kept ?? '';
      const secret = found.slice(kept.length);
      return unlike.test(secret) || entropyOf(secret) < entropy ? found : kept + maskOf(id);
    });
  }
  if (masked.includes('|')) masked = yield* maskTables(masked, maskOf);
  return { text: masked, count };
}

function* maskTokens(text: string, maskOf: (id: string) => string): Generator<void, string> {
  const maskedToken = ({ 0: found }: RegExpExecArray) => {
    for (const { id, pattern, entropy } of tokens) {
      const rest = pattern.exec(found)?.[1];
      if (rest === undefined) continue;
      return entropyOf(rest) < entropy || TOKEN_PLACEHOLDER.test(rest) ? found : maskOf(id);
    }
    return found;
  };
  let masked = '';
  let from = 0;
  let pause = WINDOW;
  for (const { 0: word, index } of text.matchAll(LONG_WORD)) {
    masked += text.slice(from, index) + (yield* replaceInSteps(word, ANY_TOKEN, maskedToken));
    from = index + word.length;
    if (from < pause) continue;
    pause = from + WINDOW;
    yield;
  }
  return masked + text.slice(from);
}

/** What is searched in one step for the beginnings of matches, and how much of the text around it a match can see. */
const WINDOW = 4096;
const SEEN_BEFORE = 256;
const SEEN_AFTER = 1024;

/** `text.replace` in steps of a window, or of a match that is longer. */
function* replaceInSteps(
  text: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string,
): Generator<void, string> {
  let replaced = '';
  let copied = 0;
  let size = WINDOW;
  for (let from = 0; from < text.length; ) {
    const start = Math.max(0, from - SEEN_BEFORE);
    const part = text.slice(start, from + size + SEEN_AFTER);
    const isCut = start + part.length < text.length;
    pattern.lastIndex = from - start;
    const match = pattern.exec(part);
    const matchStart = match ? start + match.index : text.length;
    const matchEnd = match ? matchStart + match[0].length : text.length;
    if (!match || matchStart >= from + size) from = isCut ? from + size : text.length;
    else if (isCut && matchEnd > from + size) {
      size *= 2;
      continue;
    } else {
      replaced += text.slice(copied, matchStart) + replace(match);
      copied = matchEnd;
      from = Math.max(matchEnd, matchStart + 1);
    }
    size = WINDOW;
    if (isCut) yield;
  }
  pattern.lastIndex = 0;
  return replaced + text.slice(copied);
}

/** The line below the head of a Markdown table. */
const BELOW_HEAD = /^\s{0,9}\|?(?:[ \t]{0,9}:?-+:?[ \t]{0,9}\|)+(?:[ \t]{0,9}:?-+:?)?[ \t]{0,9}$/;
/** A longer line is no row. */
const MAX_ROW_LENGTH = 2000;
/** Also escaped, as in JSON. */
const LINE_ENDS = /\r?\n|(?:\\r)?\\n|$/g;

/** Masks the cells of Markdown tables that are in a column named as a secret, or after a cell that names one. */
function* maskTables(text: string, maskOf: (id: string) => string): Generator<void, string> {
  let masked = '';
  let from = 0;
  let above: string[] = [];
  let head: string[] | undefined;
  for (const { 0: lineEnd, index } of text.matchAll(LINE_ENDS)) {
    const line = text.slice(from, index);
    from = index + lineEnd.length;
    const cells = line.length > MAX_ROW_LENGTH ? [line] : line.split('|');
    if (cells.length === 1) head = undefined;
    else if (BELOW_HEAD.test(line)) head = above;
    const isRow = cells.length > 1 && (head || cells[0]!.trim() === '');
    if (isRow) masked += cells.map((cell, at) => maskedCell(cell, [head?.[at], cells[at - 1]], maskOf)).join('|');
    else masked += line;
    masked += lineEnd;
    above = cells;
    yield;
  }
  return masked;
}

const MAX_NAME_LENGTH = 80;
const MAX_CELL_LENGTH = 200;

function maskedCell(cell: string, names: (string | undefined)[], maskOf: (id: string) => string): string {
  if (cell.length > MAX_CELL_LENGTH) return cell;
  const value = cell.replace(/^[\s`*_"']+|[\s`*_"']+$/g, '');
  if (/\s/.test(value)) return cell;
  for (const { id, name, leastLength, entropy, unlike } of CELL_RULES) {
    if (
      value.length < leastLength ||
      !names.some((given) => given && given.length <= MAX_NAME_LENGTH && name.test(given))
    )
      continue;
    if (!unlike.test(value) && entropyOf(value) >= entropy) return cell.replace(value, () => maskOf(id));
  }
  return cell;
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** A longer value is no credential that only its name tells. */
const MAX_NAMED_LENGTH = 500;

/**
 * Masks the credentials in all texts and names of members of a JSON value, also those that the name of a member tells, in
 * steps. No member is lost.
 */
export function* redactJson<T>(value: T): Generator<void, { value: T; count: number }> {
  let count = 0;
  function* mask(text: string): Generator<void, string> {
    const masked = yield* redactInSteps(text);
    count += masked.count;
    return masked.text;
  }
  /** Masks a text as it would be behind its name in a file. */
  function* maskNamed(name: string, text: string): Generator<void, string> {
    const quote = ['"', "'", '`'].find((one) => !name.includes(one) && !text.includes(one));
    if (quote === undefined || !REDACTION_RULES.some(({ keyword }) => keyword.test(name))) return text;
    const before = `${quote}${name}${quote}: ${quote}`;
    const masked = yield* redactInSteps(before + text + quote);
    if (masked.count === 0 || !masked.text.startsWith(before) || !masked.text.endsWith(quote)) return text;
    count += masked.count;
    return masked.text.slice(before.length, -1);
  }
  function* redacted(part: unknown, name?: string): Generator<void, unknown> {
    if (typeof part === 'string') {
      const masked = yield* mask(part);
      const mayBeNamed = name !== undefined && masked === part && part.length <= MAX_NAMED_LENGTH;
      return mayBeNamed ? yield* maskNamed(name, part) : masked;
    }
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      const items: unknown[] = [];
      for (const item of part) {
        items.push(yield* redacted(item, name));
        yield;
      }
      return items;
    }
    const nameFor = distinctNames(part);
    const members: [name: string, member: unknown][] = [];
    for (const [of, member] of Object.entries(part)) {
      const masked = yield* redacted(member, of);
      members.push([nameFor(of, yield* mask(of)), masked]);
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
