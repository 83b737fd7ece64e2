/** The values that were used last, by key: a map that forgets the one that was not used for the longest time. */
export function createRecent<Value>(most: number) {
  const values = new Map<string, Value>();
  function set(key: string, value: Value): void {
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > most) values.delete(oldest!);
  }
  return {
    set,
    get(key: string): Value | undefined {
      const value = values.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    delete: (key: string) => values.delete(key),
  };
}
