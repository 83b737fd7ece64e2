/** Fields of an object that another system wrote: of any shape until looked at. */
export type Fields = Record<string, unknown>;

/** The value where it is an object, else `undefined`. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The objects in a list; none where the value is no list. */
export function objectsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((fields) => fields !== undefined) : [];
}

/** The texts in a list; none where the value is no list. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The value where it is a text that says something, else `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /\S/.test(value) ? value : undefined;
}
