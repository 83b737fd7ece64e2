import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../lib/log.ts';

/** Shared knowledge of a daemon's sessions about their server. */
export interface Availability {
  /**
   * Runs `connect`. While the server is away one session at a time tries to reach it; for the others this throws
   * `unavailable` at once, so that requests do not wait out one connection timeout after another.
   */
  reach<T>(connect: () => Promise<T>): Promise<T>;
  /** Called when a session broke or could not be opened; `code` says why. */
  lost(code: string | undefined): void;
}

/** Logs once that the server at `url` is away, and once that it is back. */
export function createAvailability(url: string, log?: Log): Availability {
  const { host } = new URL(url);
  let isAway = false;
  let isTrying = false;

  function lost(code: string | undefined): void {
    if (!isAway) log?.warn({ host, code }, 'PostgreSQL is away');
    isAway = true;
  }

  function found(): void {
    if (isAway) log?.info({ host }, 'PostgreSQL is back');
    isAway = false;
  }

  async function reach<T>(connect: () => Promise<T>): Promise<T> {
    const connected = await connect();
    found();
    return connected;
  }

  return {
    lost,
    async reach(connect) {
      if (!isAway) return reach(connect);
      if (isTrying) {
        const message = 'The database is unavailable at the moment.';
        throw new AppError('unavailable', message, { retryAfterSeconds: 5 });
      }
      isTrying = true;
      try {
        return await reach(connect);
      } finally {
        isTrying = false;
      }
    },
  };
}
