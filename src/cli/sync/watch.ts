import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ApiError, UnreachableError } from '../../client/errors.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { chanceOf, type Random } from '../../lib/random.ts';

/** What changed since the last pass. */
export interface Due {
  /** Everything is read again. */
  all: boolean;
  /** Memories that changed. */
  ids: Set<string>;
}

interface WatchParts {
  root: string;
  user: string;
  client: Client;
  random: Random;
  signal: AbortSignal;
  /** Settles what differs. */
  pass(due: Due): Promise<void>;
  /** Called once when the daemon stops answering, with the wait before the next attempt, and when it answers again. */
  onOutage(error: Error, waitMs: number): void;
  onReturn(): void;
}

/** Changes come in groups: a pass waits until none came for so long, but no longer than the maximum. */
const REMOTE_QUIET = { quietMs: 400, maxMs: 3000 };
/** Editors save every two seconds while a person types, and each pass of a file is a version of its memory. */
const LOCAL_QUIET = { quietMs: 2500, maxMs: 30_000 };
/** How often the folder is looked through in any case: some disks report no changes. */
const LOOK_MS = 60_000;
const LOOK_UNWATCHED_MS = 5000;
const BACKOFF = { firstMs: 1000, maxMs: 30_000 };
/** Between attempts to follow the changes of an account that refuses a further stream. */
const REFUSED_MS = 60_000;
/** How long the first pass waits for the stream of changes, which begins with reading everything. */
const STREAM_WAIT_MS = 2000;

/** Runs passes whenever a side changes, until the signal aborts: then it throws its reason. */
export async function watchSync(parts: WatchParts): Promise<void> {
  const { root, user, client, random, signal, pass, onOutage, onReturn } = parts;
  let due: Due = { all: false, ids: new Set() };
  let isLocalDue = false;
  let wake = () => {};
  const add = (change: () => void) => {
    change();
    wake();
  };
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const watched = watchFolder(root, ended, () => add(() => (isLocalDue = true)));

  const follow = async () => {
    // No event has this id, so that the stream begins with `reset`, when it already reports what comes after.
    for await (const { event, data } of client.events({ lastEventId: 'all', signal: ended })) {
      if (event === 'reset' || event === 'user.deleted') add(() => (due.all = true));
      else if (event.startsWith('memory.') && data.id !== null && (data.user ?? user) === user) {
        const { id } = data;
        add(() => due.ids.add(id));
      }
    }
  };
  const followForever = async () => {
    while (!ended.aborted) {
      const waitMs = await follow().then(
        () => 0,
        (error: unknown) => {
          // Does not back off further: what changes while there is no stream is seen late.
          if (isOutage(error)) return backoffMs(1, BACKOFF, chanceOf(random), retryAfterMsOf(error));
          if (!(error instanceof ApiError) || error.code === 'unauthenticated') throw error;
          add(() => (due.all = true));
          return REFUSED_MS;
        },
      );
      await sleep(waitMs, undefined, { signal: ended });
    }
  };
  followForever().catch((error: unknown) => failed.abort(error));

  /** Waits until something is due and nothing more comes for a moment. */
  const untilDue = async (timeoutMs: number) => {
    const next = (ms: number) =>
      new Promise<boolean>((resolve) => {
        const end = (isWoken: boolean) => {
          clearTimeout(timer);
          ended.removeEventListener('abort', abort);
          wake = () => {};
          resolve(isWoken);
        };
        const abort = () => end(false);
        const timer = setTimeout(() => end(false), ms);
        ended.addEventListener('abort', abort, { once: true });
        wake = () => end(true);
      });
    const isRemoteDue = () => due.all || due.ids.size > 0;
    // Aborted during the pass: no event tells of it any more.
    if (ended.aborted) throw ended.reason;
    if (!isRemoteDue() && !isLocalDue) await next(timeoutMs);
    for (let waitedMs = 0, isBusy = true; isBusy; ) {
      const { quietMs, maxMs } = isRemoteDue() ? REMOTE_QUIET : LOCAL_QUIET;
      isBusy = waitedMs < maxMs && (await next(quietMs));
      waitedMs += quietMs;
    }
    if (ended.aborted) throw ended.reason;
  };

  let failures = 0;
  await untilDue(STREAM_WAIT_MS);
  due.all = true;
  for (;;) {
    const now = due;
    due = { all: false, ids: new Set() };
    isLocalDue = false;
    try {
      await pass(now);
      if (failures > 0) onReturn();
      failures = 0;
    } catch (error) {
      if (ended.aborted) throw ended.reason;
      if (!isOutage(error)) throw error;
      failures += 1;
      due.all = true;
      const waitMs = backoffMs(failures, BACKOFF, chanceOf(random), retryAfterMsOf(error));
      if (failures === 1) onOutage(error as Error, waitMs);
      await sleep(waitMs, undefined, { signal: ended }).catch(() => {});
      if (ended.aborted) throw ended.reason;
      continue;
    }
    await untilDue(watched() ? LOOK_MS : LOOK_UNWATCHED_MS);
  }
}

/** Calls back when something in the folder changes. Returns whether the system reports changes, as of now. */
function watchFolder(root: string, signal: AbortSignal, onChange: () => void): () => boolean {
  let isWatched = true;
  try {
    const watcher = watch(root, { recursive: true, signal }, (_event, name) => {
      if (name === null || !/(^|[\\/])\./.test(name)) onChange();
    });
    watcher.on('error', () => {
      isWatched = false;
    });
  } catch {
    isWatched = false;
  }
  return () => isWatched;
}

function retryAfterMsOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}

/** Whether waiting can help. */
function isOutage(error: unknown): boolean {
  const codes = ['unavailable', 'rate_limited', 'internal', 'storage_full'];
  return error instanceof UnreachableError || (error instanceof ApiError && codes.includes(error.code));
}
