/** The `pattern` of a field that takes this text alone. Browsers ignore a pattern that escapes more than it must. */
export function exactPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
