import type { Session } from '../command-context.ts';
import { keyUnavailable, notSignedIn } from './bridge-error.ts';

/** The session used to send messages, read on first use and again when it turns out to be stale. */
export interface SessionCache {
  /** Throws `BridgeError` if there is none; the next call reads again, so that a later sign-in is picked up. */
  current(): Promise<Session>;
  /** Reads again after `stale` was rejected; `undefined` if the stored session has not changed. */
  renewed(stale: Session): Promise<Session | undefined>;
}

export function createSessionCache(read: () => Promise<Session>): SessionCache {
  let cached: Promise<Session> | undefined;

  function current(): Promise<Session> {
    cached ??= read().catch((error: Error) => {
      cached = undefined;
      throw error.name === 'NotSignedInError' ? notSignedIn() : keyUnavailable(error.message);
    });
    return cached;
  }

  return {
    current,
    async renewed(stale) {
      // When several messages are rejected at once, only the first one reads; the others use its session.
      if ((await cached?.catch(() => undefined)) === stale) cached = undefined;
      const fresh = await current();
      return fresh.apiKey === stale.apiKey && fresh.url === stale.url ? undefined : fresh;
    },
  };
}
