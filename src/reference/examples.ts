import type { Endpoint } from './document-reader.ts';

/** A request that an operation accepts, as the samples on the page show it. */
export interface ExampleRequest {
  method: string;
  /** The path with example values. */
  path: string;
  /** Values of the path parameters, in the order of the path. */
  pathValues: [name: string, value: string][];
  query: [name: string, value: string | number][];
  mediaType?: string;
  body?: unknown;
}

/** Optional query parameters that are worth showing. */
const EXAMPLE_QUERY: Record<string, string | number> = { limit: 20, token: 'TOKEN' };

/** Returns a function that makes the example request of an operation, with ids taken from the examples of the others. */
export function exampleRequests(endpoints: readonly Endpoint[]): (endpoint: Endpoint) => ExampleRequest {
  const ids = new Map<string, string>();
  const members = new Map<string, string>();
  for (const { path, body, answers } of endpoints) {
    for (const example of [body?.example, ...Object.values(answers).map((answer) => answer.example)]) {
      collectMembers(example, members);
      const id = idOf(example);
      const collection = path.replace(/\/\{[^}]+\}$/, '');
      if (id !== undefined && !ids.has(collection)) ids.set(collection, id);
    }
  }

  function exampleValue(name: string, collection: string): string {
    const value = name === 'id' ? ids.get(collection) : (members.get(name) ?? ids.get(collection));
    if (value === undefined)
      throw new Error(`No example in the OpenAPI document has a value for ${collection}/{${name}}.`);
    return value;
  }

  return ({ method, path, parameters, body }) => {
    const pathValues = [...path.matchAll(/\{([^}]+)\}/g)].map((match): [string, string] => {
      const name = match[1]!;
      return [name, exampleValue(name, path.slice(0, match.index - 1))];
    });
    const filled = pathValues.reduce((at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value)), path);
    const query = parameters.flatMap(({ in: where, name, required, schema }): [string, string | number][] => {
      // Without a default the list comes whole, and the client library asks for no pages of it.
      if (where !== 'query' || (name === 'limit' && schema?.default === undefined)) return [];
      const value = EXAMPLE_QUERY[name] ?? (required ? members.get(name) : undefined);
      return value === undefined ? [] : [[name, value]];
    });
    return {
      method,
      path: filled,
      pathValues,
      query,
      ...(body && { mediaType: body.mediaTypes[0]!, body: body.example }),
    };
  };
}

function idOf(example: unknown): string | undefined {
  const { id, data } = (example ?? {}) as { id?: unknown; data?: { id?: unknown }[] };
  const found = id ?? data?.[0]?.id;
  return typeof found === 'string' ? found : undefined;
}

/** Collects the first text that each member name has anywhere in an example. */
function collectMembers(example: unknown, members: Map<string, string>): void {
  if (typeof example !== 'object' || example === null) return;
  for (const [name, value] of Object.entries(example)) {
    if (typeof value === 'string' && !Array.isArray(example) && !members.has(name)) members.set(name, value);
    collectMembers(value, members);
  }
}
