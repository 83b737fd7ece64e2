import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions } from './call-options.ts';
import type { Transport } from './transport.ts';

/** The calls common to all resources. `collection` is the path, such as `/v1/episodes`. */
export function resourceCalls<Item, Change, Query extends object, Changed = Item>(
  { send, list }: Transport,
  collection: string,
) {
  const path = (id: string) => `${collection}/${encodeURIComponent(id)}`;
  return {
    /** Lists matching items, newest first. `await` returns the first page, `for await` every item. */
    list: (query?: Query, options?: CallOptions): PagePromise<Item> => list(collection, query, options),
    get: (id: string, options?: CallOptions): ApiPromise<Item> => send('GET', path(id), undefined, options),
    update: (id: string, change: Change, options?: ChangeOptions): ApiPromise<Changed> =>
      send('PATCH', path(id), change, options),
    delete: (id: string, options?: ChangeOptions): ApiPromise<void> => send('DELETE', path(id), undefined, options),
  };
}
