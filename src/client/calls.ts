import type { createTransport, Tagged } from './transport.ts';

/** What sends the calls of a room. */
export type Transport = ReturnType<typeof createTransport>;

/** One page of a list. */
export interface PageOf<T> {
  data: T[];
  nextCursor: string | null;
}

export interface ChangeOptions {
  /** The `ETag` that was read: the change is refused where something else came in between. */
  ifMatch?: string;
}

export interface CreateOptions {
  /** Makes a repeated call one effect. Made for each call where it is not given. */
  idempotencyKey?: string;
}

function ifMatchHeader({ ifMatch }: ChangeOptions = {}): Record<string, string> {
  return ifMatch === undefined ? {} : { 'if-match': ifMatch };
}

/** `?name=value&…` of what is given. */
export function queryString(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Everything of a list, page after page; pages are as large as they may be unless the query says otherwise. */
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

/** The calls that everything under an id has alike: `collection` is its path, e.g. `/v1/episodes`. */
export function resourceCalls<Item, Change, Query extends { limit?: number; cursor?: string }>(
  { send, read }: Transport,
  collection: string,
) {
  const path = (id: string) => `${collection}/${encodeURIComponent(id)}`;
  const list = (query?: Query): Promise<PageOf<Item>> => send('GET', collection + queryString(query ?? {}));
  return {
    list,
    /** Everything of the filter, page after page, newest first. */
    all: (query?: Query): AsyncGenerator<Item> => allPages(list, query ?? ({} as Query)),
    get: (id: string): Promise<Item> => send('GET', path(id)),
    /** It with its `ETag`, to change or remove exactly what was read. */
    read: (id: string): Promise<Tagged<Item>> => read<Item>(path(id)),
    change: (id: string, change: Change, extra?: ChangeOptions): Promise<Item> =>
      send('PATCH', path(id), change, ifMatchHeader(extra)),
    remove: (id: string, extra?: ChangeOptions) => send<void>('DELETE', path(id), undefined, ifMatchHeader(extra)),
  };
}
