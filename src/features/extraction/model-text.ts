import { parseTimestamp } from '../../lib/clock.ts';

/** Truncates text and makes it storable: models emit anything, including NUL and lone surrogates. */
export function toStorable(text: string, characters: number): string {
  return text.replaceAll('\0', ' ').slice(0, characters).toWellFormed();
}

/** Converts a day that a model returns, `YYYY-MM-DD`; `undefined` for anything else. */
export function timestampOf(date: string): string | undefined {
  const moment = `${date.trim()}T00:00:00.000Z`;
  return /^\d{4}-\d\d-\d\dT/.test(moment) && parseTimestamp(moment) !== undefined ? moment : undefined;
}

/**
 * Returns a function that brings the list of a model's output into the form of its schema, to which few servers hold their
 * models: it drops properties that nobody asked for, fills in what `absent` has for those that lack or are null, and
 * accepts the list alone. What is of another form stays as it is.
 *
 * @param list the property with the list
 * @param names the properties of its items
 */
export function completeList(list: string, names: readonly string[], absent: Readonly<Record<string, unknown>>) {
  const complete = (item: unknown) =>
    isObject(item) ? Object.fromEntries(names.map((name) => [name, item[name] ?? absent[name]])) : item;

  return (value: unknown): unknown => {
    const items = isObject(value) ? value[list] : value;
    return Array.isArray(items) ? { [list]: items.map(complete) } : value;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
