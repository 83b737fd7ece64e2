import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Principal } from '../keys/keys.ts';

/** An open event stream. */
export interface EventStream {
  principal: Principal;
  /** Fires when the stream has to end. */
  ended: AbortSignal;
  /** Resolves at the next look at the database. Rejects when the stream has to end. */
  nextLook(): Promise<void>;
  /** The number of the tenant's latest change at the last look, before which access still held. */
  last(): number;
  /** Frees the slot. Idempotent. */
  close(): void;
}

/**
 * The open event streams of this daemon. While there are any, it looks for changes every second, for those of other daemons,
 * and soon after it has written for their tenants.
 */
export interface EventStreams {
  /** Throws `rate_limited` if the tenant has too many streams here, and `unavailable` if the daemon has or is stopping. */
  open(principal: Principal): EventStream;
  /** Looks soon if one of these tenants has a stream. */
  written(tenantIds: ReadonlySet<string>): void;
  /** Ends a tenant's streams. */
  end(tenantId: string): void;
  /** Ends all streams, and refuses further ones. */
  stop(): void;
  count(): number;
}

const LOOK_MS = 1000;
/** From a write to the look that finds it, and at least between two such looks. */
const LOOK_SOON_MS = 20;
/** How often the credentials of idle streams are checked. Those of others are checked before each change is sent. */
const CHECK_MS = 3000;
const MAX_STREAMS_OF_TENANT = 10;
const MAX_STREAMS = 2000;
const RETRY_AFTER_SECONDS = 5;

interface Parts {
  clock: Clock;
  log: Log;
  findLast(tenantIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Throws `unauthenticated` if the credential of a stream is no longer valid. */
  refresh(principal: Principal): Promise<unknown>;
}

interface Open {
  principal: Principal;
  controller: AbortController;
  last: number;
  wake: () => void;
}

/** Creates the set of open streams. It has a timer while one is open, which does not keep the process alive. */
export function createEventStreams({ clock, log, findLast, refresh }: Parts): EventStreams {
  const streams = new Set<Open>();
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStopped = false;
  let checkedMs = 0;

  async function look(): Promise<void> {
    const isCheckDue = clock.monotonicMs() - checkedMs >= CHECK_MS;
    if (isCheckDue) checkedMs = clock.monotonicMs();
    const last = await findLast([...new Set([...streams].map(({ principal }) => principal.tenantId))]);
    const lastOf = ({ principal }: Open) => last.get(principal.tenantId) ?? 0;
    const due = [...streams].filter((stream) => isCheckDue || stream.last !== lastOf(stream));
    // After the numbers were read: access that holds now held when these changes were made.
    const checks = new Map<string, Promise<boolean>>();
    const check = async (stream: Open) => {
      const key = accessKey(stream.principal);
      const allowed = checks.get(key) ?? isAllowed(stream.principal);
      checks.set(key, allowed);
      if (await allowed) stream.last = lastOf(stream);
      else stream.controller.abort();
    };
    await Promise.all(due.map(check));
  }

  async function isAllowed(principal: Principal): Promise<boolean> {
    try {
      await refresh(principal);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return false;
      throw error;
    }
  }

  /** Never two looks at once. After a failed one the next follows as usual. */
  function lookOnce(): void {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => log.warn({ error }, 'could not look for changes'))
      .finally(() => {
        isLooking = false;
        for (const { wake } of streams) wake();
      });
  }

  function lookSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      if (isLooking) lookSoon();
      else lookOnce();
    }, LOOK_SOON_MS).unref();
  }

  function refuseTooMany(principal: Principal): void {
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (isStopped) throw new AppError('unavailable', 'The daemon is stopping.', retry);
    if (streams.size >= MAX_STREAMS) throw new AppError('unavailable', 'Too many event streams are open.', retry);
    const accountId = accountOf(principal);
    const own = [...streams].filter((stream) => accountOf(stream.principal) === accountId);
    if (own.length < MAX_STREAMS_OF_TENANT) return;
    const message = `This account has ${MAX_STREAMS_OF_TENANT} event streams open already. Close one first.`;
    throw new AppError('rate_limited', message, retry);
  }

  return {
    open(principal) {
      refuseTooMany(principal);
      const controller = new AbortController();
      const stream: Open = { principal, controller, last: 0, wake: () => {} };
      streams.add(stream);
      timer ??= setInterval(lookOnce, LOOK_MS).unref();
      lookSoon();
      return {
        principal,
        ended: controller.signal,
        last: () => stream.last,
        nextLook: () =>
          new Promise((resolve, reject) => {
            const onEnd = () => reject(controller.signal.reason);
            if (controller.signal.aborted) return onEnd();
            controller.signal.addEventListener('abort', onEnd, { once: true });
            stream.wake = () => {
              controller.signal.removeEventListener('abort', onEnd);
              resolve();
            };
          }),
        close() {
          controller.abort();
          streams.delete(stream);
          if (streams.size > 0) return;
          clearInterval(timer);
          clearTimeout(soon);
          timer = undefined;
          soon = undefined;
        },
      };
    },
    written(tenantIds) {
      if ([...streams].some(({ principal }) => tenantIds.has(principal.tenantId))) lookSoon();
    },
    end(tenantId) {
      for (const { principal, controller } of streams) if (principal.tenantId === tenantId) controller.abort();
    },
    stop() {
      isStopped = true;
      for (const { controller } of streams) controller.abort();
    },
    count: () => streams.size,
  };
}

/** The account whose streams are limited: in a space that of the member. */
function accountOf({ tenantId, space }: Principal): string {
  return space?.member.tenantId ?? tenantId;
}

/** What the access of a stream depends on: streams of one key share a check. */
function accessKey({ credential, space }: Principal): string {
  return `${credential.hash} ${space?.id} ${space?.role}`;
}
