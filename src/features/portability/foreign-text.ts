/** What is around it counts for one of the 32 levels that can be stored. */
const MAX_DEPTH = 31;

/** A text as it can be stored: without NUL, and with U+FFFD for half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** A text for one line: every run of white space and control characters is one space. */
export function oneLine(text: string): string {
  return storable(text)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
}

/** The first so many characters of a text, with an ellipsis where there was more. */
export function clip(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters - 1).toWellFormed()}…`;
}

/** What another system calls a kind of thing, short enough for a sentence. */
export function kindName(value: unknown): string {
  return typeof value === 'string' ? clip(oneLine(value), 40) : 'unknown';
}

/** A JSON object whose texts can be stored, or `undefined` where it is nested too deep to be kept. */
export function storableObject(fields: Record<string, unknown>): Record<string, unknown> | undefined {
  return depthOf(fields, 0) > MAX_DEPTH ? undefined : (storableValue(fields) as Record<string, unknown>);
}

function depthOf(value: unknown, above: number): number {
  if (value === null || typeof value !== 'object' || above > MAX_DEPTH) return above;
  return Object.values(value).reduce((deepest: number, item) => Math.max(deepest, depthOf(item, above + 1)), above + 1);
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (value === null || typeof value !== 'object') return value;
  const named = Object.entries(value).map(([name, item]) => [storable(name), storableValue(item)] as const);
  return Object.fromEntries(named.filter(([name]) => name !== '__proto__'));
}
