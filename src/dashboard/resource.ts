import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { recoveries } from './daemon-state.ts';
import { endSessionOn } from './session.ts';

/** The data of a view. The previous value stays during a reload, so that the page does not flicker. */
export interface Resource<T> {
  readonly state: ReadonlySignal<{ value?: T; error?: unknown; isLoading: boolean }>;
  reload(): void;
}

/**
 * Loads a value when the component mounts and whenever `key` changes, and aborts a load that is no longer wanted. A key of
 * undefined loads nothing. With another key, the previous value is dropped unless `keepsPrevious` is set.
 */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  { keepsPrevious = false } = {},
): Resource<T> {
  const held = useSignal<{ key: string | undefined; value?: T; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: key !== undefined,
  });
  const attempt = useSignal(0);
  const loadRef = useRef(load);
  loadRef.current = load;
  useEffect(() => {
    const { value, key: loadedKey } = held.peek();
    const kept = value !== undefined && (keepsPrevious || loadedKey === key) ? { value } : {};
    held.value = { key, ...kept, isLoading: key !== undefined };
    if (key === undefined) return undefined;
    const abort = new AbortController();
    loadRef.current(abort.signal).then(
      (loaded) => {
        if (!abort.signal.aborted) held.value = { key, value: loaded, isLoading: false };
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        endSessionOn(error);
        held.value = { key, ...kept, error, isLoading: false };
      },
    );
    return () => abort.abort();
  }, [key, attempt.value]);
  const reload = useCallback(() => {
    attempt.value = attempt.peek() + 1;
  }, [attempt]);
  useRetryOnRecovery(() => held.peek().error !== undefined, reload);
  return { state: useComputed(() => held.value), reload };
}

/** Retries what failed once the daemon is back. */
export function useRetryOnRecovery(hasFailed: () => boolean, retry: () => void): void {
  const before = useRef(recoveries.peek());
  useEffect(() => {
    if (recoveries.value === before.current) return;
    before.current = recoveries.value;
    if (hasFailed()) retry();
  }, [recoveries.value]);
}
