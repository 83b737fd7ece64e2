import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';

/** Backoff for one model. */
interface Backoff {
  /** Whether the model may be called now. */
  isReady(): boolean;
  /** Call after a success. */
  reset(): void;
  /**
   * Counts an embedder fault, logs it (at most once a minute) and starts the next pause. Rethrows any other error, such
   * as a full disk, after pausing as well: vectors that cannot be stored still cost money.
   */
  recordFailure(error: unknown): void;
  /** The last fault, or `undefined` if the model has succeeded since. */
  fault(): EmbedderFault | undefined;
}

export interface BackoffOptions {
  maxPauseMs: number;
  /** Pause after a misconfiguration, which does not fix itself. */
  settingsPauseMs?: number;
  count(): void;
  /** Omit it to keep faults out of the log. */
  message?: string;
}

const FIRST_PAUSE_MS = 1000;
const SETTINGS_PAUSE_MS = 60_000;
const LOG_INTERVAL_MS = 60_000;

/** Doubles the pause up to `maxPauseMs`; a `Retry-After` from the embedder takes precedence. */
function createBackoff(
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
      // A fault caused by one text does not delay the others.
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

/** A separate backoff for each model. */
export interface Backoffs {
  with(model: { id: number; tenantId: string }): Backoff;
  isReady(model: number): boolean;
  fault(model: number): EmbedderFault | undefined;
  /** Clears the backoff of all models of this tenant. */
  resetTenant(tenantId: string): void;
  forget(model: number): void;
}

/** Creates each backoff on first use. */
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
