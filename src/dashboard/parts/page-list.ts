import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { useRetryOnRecovery } from '../resource.ts';
import { endSessionOn } from '../session.ts';

/** A list that is loaded page by page. */
export interface PageList<T> {
  rows: readonly T[];
  /** Number of rows of the whole list; undefined until the first page has come. */
  total: number | undefined;
  error: unknown;
  isLoading: boolean;
  loadMore(): void;
  reload(): void;
  /** Loads the first page again, and keeps the rows of the pages after it. */
  refresh(): void;
  /** Loads the page that failed. */
  retry(): void;
  /** Changes the rows that are shown, before the daemon has confirmed a change. */
  change(change: (rows: readonly T[]) => readonly T[]): void;
}

interface LoadedPage<T> {
  data: T[];
  nextCursor: string | null;
  /** Present on first pages of lists that are counted. */
  total?: number;
}

interface Held<T> {
  rows: readonly T[];
  total: number | undefined;
  cursor: string | undefined;
  error: unknown;
  isLoading: boolean;
}

/** Loads the pages of a list with cursors. Starts again whenever `key` changes, or on `reload`, which keeps the rows meanwhile. */
export function usePageList<T>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<LoadedPage<T>>,
): PageList<T> {
  const held = useSignal<Held<T>>({ rows: [], total: undefined, cursor: undefined, error: undefined, isLoading: true });
  const attempt = useSignal(0);
  const running = useRef<AbortController | undefined>(undefined);
  const loadRef = useRef(load);
  loadRef.current = load;
  const isOutdated = useRef(false);

  const loadPage = useCallback((cursor: string | undefined, keepsLater = false) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    held.value = { ...held.peek(), isLoading: true, error: undefined };
    loadRef.current(cursor, abort.signal).then(
      ({ data, nextCursor, total }) => {
        if (abort.signal.aborted) return;
        const before = held.peek();
        const later = keepsLater ? rowsAfter(before.rows, data) : [];
        const rows = [...(cursor === undefined ? [] : before.rows), ...data, ...later];
        const next = later.length > 0 ? before.cursor : (nextCursor ?? undefined);
        const counted = total ?? (cursor === undefined ? undefined : before.total);
        const known = next === undefined ? rows.length : (counted ?? rows.length + 1);
        held.value = { rows, total: known, cursor: next, error: undefined, isLoading: false };
        if (isOutdated.current) loadPage(undefined, true);
        isOutdated.current = false;
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        endSessionOn(error);
        held.value = { ...held.peek(), error, isLoading: false };
      },
    );
  }, []);

  const shownKey = useRef(key);
  useEffect(() => {
    if (shownKey.current !== key) {
      shownKey.current = key;
      held.value = { rows: [], total: undefined, cursor: undefined, error: undefined, isLoading: true };
    }
    loadPage(undefined);
    return () => running.current?.abort();
  }, [key, attempt.value]);

  const { rows, total, cursor, error, isLoading } = held.value;
  const retry = () => loadPage(rows.length === 0 ? undefined : cursor);
  useRetryOnRecovery(() => held.peek().error !== undefined, retry);
  return {
    rows,
    total,
    error,
    isLoading,
    loadMore: () => {
      if (!held.peek().isLoading && held.peek().error === undefined && cursor !== undefined) loadPage(cursor);
    },
    reload: useCallback(() => {
      attempt.value = attempt.peek() + 1;
    }, []),
    refresh: useCallback(() => {
      // A page that is being loaded comes first.
      isOutdated.current = held.peek().isLoading;
      if (!isOutdated.current) loadPage(undefined, true);
    }, []),
    retry,
    change: (change) => {
      const before = held.peek();
      const changed = change(before.rows);
      const difference = changed.length - before.rows.length;
      held.value = {
        ...before,
        rows: changed,
        total: before.total === undefined ? undefined : before.total + difference,
      };
    },
  };
}

/** The rows after the last one of a first page that was loaded again; none if that was not among them. */
function rowsAfter<T>(rows: readonly T[], page: readonly T[]): readonly T[] {
  const idOf = (row: unknown) => (row as { id?: unknown } | undefined)?.id ?? row;
  const last = rows.findIndex((row) => idOf(row) === idOf(page.at(-1)));
  return last === -1 ? [] : rows.slice(last + 1);
}
