import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type BucketDecision, type BucketRule, decisionOf, shareOf } from '../../lib/token-bucket.ts';
import type { Buckets, BucketsOf } from './buckets.ts';
import { createProcessBuckets, type ProcessBuckets } from './rate-limits.ts';

/** Buckets that all daemons share, on the clock of the server that stores them. */
export interface BucketStore {
  /** Takes one token. `used` are the tokens that the bucket lacks afterwards. Rejects if the server does not answer. */
  take(key: string, rule: BucketRule): Promise<{ allowed: boolean; used: number }>;
  /** Ends the connection at once. */
  close(): void;
}

/**
 * Buckets shared by several daemons. While their server does not answer, each daemon grants its own share of every limit:
 * the service stays available, and all daemons together still enforce the limits.
 */
export interface SharedBuckets {
  bucketsOf: BucketsOf;
  /** Connects. Does not fail if the server is away: it is tried again in the background. */
  begin(): Promise<void>;
  isShared(): boolean;
  /** Decisions of this daemon alone, since it started. */
  fallbacks(): number;
  stop(): void;
}

interface Parts {
  /** For the log: `Redis` or `PostgreSQL`. */
  server: string;
  /** Connects. If the signal aborts, now or later, the connection ends. */
  open(signal: AbortSignal): Promise<BucketStore>;
  timeoutMs: number;
  liveDaemons(): number;
  clock: Clock;
  log: Log;
}

const RETRY_MS = 1000;
/** Time to connect and take a first token. */
const OPEN_TIMEOUT_MS = 3000;
const PROBE_RULE: BucketRule = { capacity: 1000, refillPerSecond: 1000 };

/** `open` connects to the server each time it is called; answers later than `timeoutMs` do not count. */
export function createSharedBuckets({ server, open, timeoutMs, liveDaemons, clock, log }: Parts): SharedBuckets {
  let store: BucketStore | undefined;
  let retry: NodeJS.Timeout | undefined;
  let fallbackCount = 0;
  let stopped = false;

  /** Opens a store and tries it out: a server may accept connections and refuse to write. */
  async function openStore(): Promise<void> {
    const failing = new AbortController();
    try {
      const fresh = await within(open(failing.signal), OPEN_TIMEOUT_MS);
      await within(fresh.take('probe', PROBE_RULE), timeoutMs);
      if (stopped) throw new Error('stopped');
      store = fresh;
    } catch (error) {
      failing.abort();
      throw error;
    }
  }

  function openLater(delayMs: number): void {
    if (stopped) return;
    retry = setTimeout(() => {
      openStore().then(
        () => log.info({ server }, 'rate limits are shared by all daemons again'),
        () => openLater(RETRY_MS),
      );
    }, delayMs).unref();
  }

  /** Many requests may find out about the same failure. */
  function leave(failed: BucketStore | undefined, error: unknown, delayMs: number): void {
    if (failed !== store || stopped) return;
    store = undefined;
    failed?.close();
    log.warn({ server, error }, 'rate limits are not shared: each daemon allows its share of them');
    openLater(delayMs);
  }

  async function takeShared(local: ProcessBuckets, key: string, name: string, rule: BucketRule) {
    const asked = store;
    try {
      if (asked) return note(local, key, rule, await within(asked.take(name, rule), timeoutMs));
    } catch (error) {
      leave(asked, error, 0);
    }
    fallbackCount += 1;
    return local.take(key, shareOf(rule, liveDaemons()));
  }

  /** Keeps a copy, for `peek` and so that a daemon left alone grants no second burst. */
  function note(
    local: ProcessBuckets,
    key: string,
    rule: BucketRule,
    { allowed, used }: { allowed: boolean; used: number },
  ): BucketDecision {
    const decision = decisionOf(allowed, { used, atMs: clock.monotonicMs() }, rule);
    local.note(key, decision);
    return decision;
  }

  return {
    bucketsOf(kind, maxSize): Buckets {
      const local = createProcessBuckets(clock, maxSize);
      return {
        take: (key, rule) => takeShared(local, key, `${kind} ${key}`, rule),
        peek: (key, rule) => local.peek(key, rule),
      };
    },
    begin: () => openStore().catch((error: unknown) => leave(undefined, error, RETRY_MS)),
    isShared: () => store !== undefined,
    fallbacks: () => fallbackCount,
    stop() {
      stopped = true;
      clearTimeout(retry);
      store?.close();
      store = undefined;
    },
  };
}

const TIMEOUT_STEPS = 8;

/**
 * Rejects after `timeoutMs` in steps, between which what has arrived is read: the time for which this process itself was
 * busy hardly counts.
 */
function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isSettled = false;
    const wait = (steps: number): void => {
      if (isSettled) return;
      if (steps === 0) reject(new Error(`no answer within ${timeoutMs} ms`));
      // Timers run before what has arrived is read, immediates after it.
      else timer = setTimeout(() => setImmediate(wait, steps - 1), timeoutMs / TIMEOUT_STEPS);
    };
    const settle = (): void => {
      isSettled = true;
      clearTimeout(timer);
    };
    wait(TIMEOUT_STEPS);
    promise.then(resolve, reject).finally(settle);
  });
}
