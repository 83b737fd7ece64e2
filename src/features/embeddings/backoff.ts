import { type BackoffRange, backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
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
  /** The longest pause after a misconfiguration, which does not fix itself. */
  settingsPauseMs?: number;
  count(): void;
  /** Omit it to keep faults out of the log. */
  message?: string;
}

const FIRST_PAUSE_MS = 1000;
const SETTINGS_PAUSE_MS = 60_000;
const LOG_INTERVAL_MS = 60_000;

interface Dependencies {
  clock: Clock;
  random: Random;
  log: Log;
}

function createBackoff(
  { clock, random, log }: Dependencies,
  { maxPauseMs, settingsPauseMs = Math.min(SETTINGS_PAUSE_MS, maxPauseMs), count, message }: BackoffOptions,
): Backoff {
  const range = { firstMs: FIRST_PAUSE_MS, maxMs: maxPauseMs };
  const settingsRange = { firstMs: settingsPauseMs, maxMs: settingsPauseMs };
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let fault: EmbedderFault | undefined;

  function pause(range: BackoffRange, retryAfterMs?: number): void {
    failures += 1;
    pausedUntilMs = clock.monotonicMs() + backoffMs(failures, range, chanceOf(random), retryAfterMs);
  }

  return {
    isReady: () => clock.monotonicMs() >= pausedUntilMs,
    reset() {
      failures = 0;
      fault = undefined;
    },
    recordFailure(error) {
      if (!(error instanceof EmbedderFault)) {
        pause(range);
        throw error;
      }
      count();
      // A fault caused by one text does not delay the others.
      if (error.reason === 'texts') return;
      fault = error;
      pause(error.reason === 'settings' ? settingsRange : range, error.retryAfterMs);
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
export function createBackoffs(dependencies: Dependencies, options: BackoffOptions): Backoffs {
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
