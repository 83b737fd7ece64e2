import { parseTimestamp } from '../../lib/clock.ts';
import { isObject } from '../../lib/is-object.ts';

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
 * What a model is asked for: a list of items, by the name of the list. The schema requires all properties and allows no
 * others, as the strict modes of providers demand; few servers hold their models to it. `complete` drops other properties,
 * gives an item the values of `absent` where it lacks them or has null, and accepts the list without its name. It returns
 * any other value unchanged, for the check to refuse.
 */
export function listOutput(name: string, properties: object, absent: Readonly<Record<string, unknown>>) {
  const names = Object.keys(properties);
  const items = { type: 'object', properties, required: names, additionalProperties: false };
  const complete = (item: unknown) =>
    isObject(item) ? Object.fromEntries(names.map((key) => [key, item[key] ?? absent[key]])) : item;
  return {
    schema: {
      type: 'object',
      properties: { [name]: { type: 'array', items } },
      required: [name],
      additionalProperties: false,
    },
    schemaName: name,
    complete: (value: unknown): unknown => {
      const list = isObject(value) ? value[name] : value;
      return Array.isArray(list) ? { [name]: list.map(complete) } : value;
    },
  };
}
