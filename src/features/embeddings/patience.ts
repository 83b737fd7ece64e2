import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { EmbedderFault } from '../../outside/embedder.ts';

/** Is told how the embedder does. */
export interface Watch {
  /** It failed, or refused a text. */
  fault(): void;
  state(is: 'ok' | 'failing'): void;
}

/** How long a model is left alone after a fault. */
export interface Patience {
  /** Whether the model may be asked now. */
  mayAsk(): boolean;
  /** It answered. */
  reset(): void;
  /** Notes, counts and logs (once a minute) a fault of the embedder. Throws what is none. */
  note(error: unknown): void;
}

const FIRST_PAUSE_MS = 1000;
/** Where the settings are wrong, waiting mends nothing but what somebody else mends. */
const SETTINGS_PAUSE_MS = 60_000;
const LOGGED_EVERY_MS = 60_000;

/** Pauses double up to `longestMs`; what the embedder asks for itself goes before. */
export function createPatience(
  { clock, log }: { clock: Clock; log: Log },
  { longestMs, watch, message }: { longestMs: number; watch: Watch; message: string },
): Patience {
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  return {
    mayAsk: () => clock.monotonicMs() >= pausedUntilMs,
    reset() {
      watch.state('ok');
      pauseMs = FIRST_PAUSE_MS;
    },
    note(error) {
      if (!(error instanceof EmbedderFault)) throw error;
      watch.fault();
      // Nobody else waits for what one text brought on.
      if (error.reason === 'texts') return;
      watch.state('failing');
      const nowMs = clock.monotonicMs();
      const own = Math.min(error.reason === 'settings' ? SETTINGS_PAUSE_MS : pauseMs, longestMs);
      pausedUntilMs = nowMs + Math.max(error.retryAfterMs ?? own, FIRST_PAUSE_MS);
      pauseMs = Math.min(pauseMs * 2, longestMs);
      if (nowMs - loggedAtMs < LOGGED_EVERY_MS) return;
      loggedAtMs = nowMs;
      log.warn({ reason: error.reason, fault: error.message }, message);
    },
  };
}
