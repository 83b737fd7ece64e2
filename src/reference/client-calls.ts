/** A call of the client library, such as `memories.update(id, change)`. */
export interface ClientCall {
  name: string;
  /** Parameters without the options, such as `id` or `query?`. */
  parameters: string[];
}

/** Reads the table of calls in the guide to the client: the first call that each route has. */
export function readClientCalls(guide: string): ReadonlyMap<string, ClientCall> {
  const calls = new Map<string, ClientCall>();
  for (const [, name = '', parameters = '', route = ''] of guide.matchAll(
    /^\| `([\w.]+)\(([^)]*)\)` \| `([A-Z]+ [^`]+)` \|$/gm,
  )) {
    if (!calls.has(route)) calls.set(route, { name, parameters: parameters.split(', ').filter(Boolean) });
  }
  return calls;
}
