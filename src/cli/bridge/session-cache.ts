import type { Session } from '../command-context.ts';
import { keyUnavailable, notSignedIn } from './bridge-error.ts';

/** The session that messages go under, read when it is first needed and again when it turns out to be stale. */
export interface SessionCache {
  /** Throws `BridgeError` where there is none; the next call looks again, so that a sign-in is noticed. */
  current(): Promise<Session>;
  /** Reads again after `stale` was refused; `undefined` where what is kept is the very same. */
  renewed(stale: Session): Promise<Session | undefined>;
}

export function createSessionCache(read: () => Promise<Session>): SessionCache {
  let held: Promise<Session> | undefined;

  function current(): Promise<Session> {
    held ??= read().catch((error: Error) => {
      held = undefined;
      throw error.name === 'NotSignedInError' ? notSignedIn() : keyUnavailable(error.message);
    });
    return held;
  }

  return {
    current,
    async renewed(stale) {
      // Of several messages that were refused together only the first reads; the others find its session here.
      if ((await held?.catch(() => undefined)) === stale) held = undefined;
      const fresh = await current();
      return fresh.apiKey === stale.apiKey && fresh.url === stale.url ? undefined : fresh;
    },
  };
}
