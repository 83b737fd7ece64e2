import type { Client } from '../client/client.ts';
import { sleep } from '../client/retries.ts';
import { endSessionOn } from './session.ts';

const CHANGE_KINDS = [
  'memory',
  'suggestion',
  'topic',
  'conversation',
  'episode',
  'job',
  'feedback',
  'account',
] as const;
/** The kind of item that changed: the part of an event's name before its dot. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

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

/** How long to wait before following again, once the daemon ended the stream. */
const RETURN_MS = 15_000;

/** Announces what changes in the account, as long as the app is open. Returns a function that stops it. */
export function followChanges(client: Client): () => void {
  const abort = new AbortController();
  follow(client, abort.signal).catch((error) => {
    if (!abort.signal.aborted) throw error;
  });
  return () => abort.abort();
}

/**
 * Follows the events of the daemon until `signal` aborts, and throws its reason. Without a stream, views still reload
 * when they are opened.
 */
async function follow(client: Client, signal: AbortSignal): Promise<never> {
  for (;;) {
    try {
      for await (const { event } of client.events({ signal })) {
        if (event === 'reset' || event === 'user.deleted') announceAll();
        else announce(event.split('.')[0] as ChangeKind);
      }
    } catch (error) {
      if (!signal.aborted) endSessionOn(error);
    }
    await sleep(RETURN_MS, signal);
    // Changes in the meantime were announced to nobody.
    announceAll();
  }
}

/** Tells every view that anything may have changed. */
export function announceAll(): void {
  for (const kind of CHANGE_KINDS) announce(kind);
}
