import { REDACTION_RULES, type RedactionRule } from './redaction-rules.ts';

/** A text whose credentials are masked, and how many there were. */
export interface Redacted {
  text: string;
  count: number;
}

/**
 * Masks the known shapes of credentials: `[redacted: aws-access-token]`. Takes time linear in the length of the text. A
 * mask is not masked again.
 */
export function redactSecrets(text: string): Redacted {
  let count = 0;
  let masked = text;
  for (const rule of REDACTION_RULES) {
    if (!rule.keywords.some((keyword) => masked.includes(keyword))) continue;
    masked = masked.replace(rule.pattern, (found: string, ...rest: unknown[]) => {
      const secret = typeof rest[0] === 'string' ? rest[0] : found;
      if (isPlaceholder(secret, rule)) return found;
      count += 1;
      // The password of a URL is the last thing before its `@`.
      return secret === found ? maskOf(rule) : `${found.slice(0, -secret.length - 1)}${maskOf(rule)}@`;
    });
  }
  return { text: masked, count };
}

function maskOf({ id }: RedactionRule): string {
  return `[redacted: ${id}]`;
}

function isPlaceholder(secret: string, { entropy }: RedactionRule): boolean {
  return entropy > 0 && entropyOf(secret) < entropy;
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** `redactSecrets` for every text in a JSON value. Names of members stay. */
export function redactJson<T>(value: T): { value: T; count: number } {
  let count = 0;
  const redacted = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const masked = redactSecrets(part);
      count += masked.count;
      return masked.text;
    }
    if (Array.isArray(part)) return part.map(redacted);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, redacted(member)]));
  };
  return { value: redacted(value) as T, count };
}
