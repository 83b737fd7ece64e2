import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';

/** How long a model is left alone after a fault. */
export interface Backoff {
  /** Whether the model may be asked now. */
  isReady(): boolean;
  /** It answered. */
  reset(): void;
  /**
   * Notes, counts and logs (once a minute) a fault of the embedder. Throws what is none, such as a full disk, after which
   * it is left alone too: answers that cannot be kept are paid for all the same.
   */
  recordFailure(error: unknown): void;
  /** What it failed with, unless it answered since. */
  fault(): EmbedderFault | undefined;
}

export interface BackoffOptions {
  maxPauseMs: number;
  /** Where the settings are wrong, waiting mends nothing but what somebody else mends. */
  settingsPauseMs?: number;
  count(): void;
  /** Absent: faults are told elsewhere than in the log. */
  message?: string;
}

const FIRST_PAUSE_MS = 1000;
const SETTINGS_PAUSE_MS = 60_000;
const LOG_INTERVAL_MS = 60_000;

/** Pauses double up to `maxPauseMs`; what the embedder asks for itself goes before. */
export function createBackoff(
  { clock, log }: { clock: Clock; log: Log },
  { maxPauseMs, settingsPauseMs = Math.min(SETTINGS_PAUSE_MS, maxPauseMs), count, message }: BackoffOptions,
): Backoff {
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let fault: EmbedderFault | undefined;

  function pause(minimumMs: number): void {
    pausedUntilMs = clock.monotonicMs() + Math.max(minimumMs, FIRST_PAUSE_MS);
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }

  return {
    isReady: () => clock.monotonicMs() >= pausedUntilMs,
    reset() {
      pauseMs = FIRST_PAUSE_MS;
      fault = undefined;
    },
    recordFailure(error) {
      if (!(error instanceof EmbedderFault)) {
        pause(pauseMs);
        throw error;
      }
      count();
      // Nobody else waits for what one text brought on.
      if (error.reason === 'texts') return;
      fault = error;
      pause(error.retryAfterMs ?? (error.reason === 'settings' ? settingsPauseMs : Math.min(pauseMs, maxPauseMs)));
      const nowMs = clock.monotonicMs();
      if (message === undefined || nowMs - loggedAtMs < LOG_INTERVAL_MS) return;
      loggedAtMs = nowMs;
      log.warn({ reason: error.reason, fault: error.message }, message);
    },
    fault: () => fault,
  };
}

/** Patience with each model by itself. */
export interface Backoffs {
  with(model: { id: number; tenantId: string }): Backoff;
  isReady(model: number): boolean;
  fault(model: number): EmbedderFault | undefined;
  /** The models of this tenant may be asked again at once. */
  resetTenant(tenantId: string): void;
  forget(model: number): void;
}

/** Each begins with the first that is asked of a model. */
export function createBackoffs(dependencies: { clock: Clock; log: Log }, options: BackoffOptions): Backoffs {
  const known = new Map<number, { tenantId: string; backoff: Backoff }>();
  const forget = (model: number) => void known.delete(model);
  return {
    with({ id, tenantId }) {
      const backoff = known.get(id)?.backoff ?? createBackoff(dependencies, options);
      known.set(id, { tenantId, backoff });
      return backoff;
    },
    isReady: (model) => known.get(model)?.backoff.isReady() ?? true,
    fault: (model) => known.get(model)?.backoff.fault(),
    resetTenant(tenantId) {
      for (const [id, one] of known) if (one.tenantId === tenantId) forget(id);
    },
    forget,
  };
}
