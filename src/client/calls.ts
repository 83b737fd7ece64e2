import type { createTransport, Tagged } from './transport.ts';

/** Sends the calls of one resource. */
export type Transport = ReturnType<typeof createTransport>;

/** One page of a list. */
export interface PageOf<T> {
  data: T[];
  nextCursor: string | null;
}

export interface ChangeOptions {
  /** The `ETag` that was read. The change is rejected if the resource has changed since. */
  ifMatch?: string;
}

export interface CreateOptions {
  /** Makes repeating the call safe. Defaults to a new key for each call. */
  idempotencyKey?: string;
}

export function ifMatchHeader({ ifMatch }: ChangeOptions = {}): Record<string, string> {
  return ifMatch === undefined ? {} : { 'if-match': ifMatch };
}

/** Builds `?name=value&…` from the defined properties. */
export function queryString(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Yields every item of a list, page by page, with the largest page size unless the query sets `limit`. */
export async function* allPages<T, Query extends { limit?: number; cursor?: string }>(
  list: (query: Query) => Promise<PageOf<T>>,
  query: Query,
): AsyncGenerator<T> {
  let { cursor } = query as { cursor?: string | null };
  do {
    const page = await list({ ...query, limit: query.limit ?? 200, ...(cursor ? { cursor } : {}) });
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor);
}

/** The calls common to all resources. `collection` is the path, such as `/v1/episodes`. */
export function resourceCalls<Item, Change, Query extends { limit?: number; cursor?: string }>(
  { send, read }: Transport,
  collection: string,
) {
  const path = (id: string) => `${collection}/${encodeURIComponent(id)}`;
  const list = (query?: Query): Promise<PageOf<Item>> => send('GET', collection + queryString(query ?? {}));
  return {
    list,
    /** Yields every matching item, newest first. */
    all: (query?: Query): AsyncGenerator<Item> => allPages(list, query ?? ({} as Query)),
    get: (id: string): Promise<Item> => send('GET', path(id)),
    /** Reads the item with its `ETag`, to change or remove exactly that version. */
    read: (id: string): Promise<Tagged<Item>> => read<Item>(path(id)),
    change: (id: string, change: Change, extra?: ChangeOptions): Promise<Item> =>
      send('PATCH', path(id), change, ifMatchHeader(extra)),
    remove: (id: string, extra?: ChangeOptions) => send<void>('DELETE', path(id), undefined, ifMatchHeader(extra)),
  };
}
