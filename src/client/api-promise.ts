import type { WithResponse } from './response.ts';

/** A promise of the data, or, with `withResponse`, of the data and what came with it. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

/** One page of a list. */
export interface Page<T> {
  data: T[];
  /** Pass it as `cursor` for the next page; `null` on the last. */
  nextCursor: string | null;
}

/** Awaited, the first page of a list; iterated with `for await`, every item of every page. */
export interface PagePromise<T> extends ApiPromise<Page<T>>, AsyncIterable<T> {}

export function apiPromise<T>(answer: Promise<WithResponse<T>>): ApiPromise<T> {
  const data = answer.then((result) => result.data);
  return Object.assign(data, {
    withResponse() {
      // The caller handles the failure of `answer`; that of `data` must not count as unhandled.
      data.catch(() => {});
      return answer;
    },
  });
}

/** Loads pages on demand. `load` without a cursor loads the first, at once. */
export function pagePromise<T>(load: (cursor?: string) => ApiPromise<Page<T>>): PagePromise<T> {
  const first = load();
  // It may be iterated later, and throws there.
  first.catch(() => {});
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ; page = await load(page.nextCursor)) {
        yield* page.data;
        if (page.nextCursor === null) return;
      }
    },
  });
}
