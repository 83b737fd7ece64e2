import { type BackoffRange, backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import { EmbedderFault } from '../../outside/models/embedder.ts';
import type { EmbeddingModel } from './models-store.ts';

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

/** A model as it was read: a tenant's key may be replaced at another daemon. */
type KeyedModel = Pick<EmbeddingModel, 'id' | 'tenantId' | 'keyVersion'>;

/** A separate backoff for each model, which starts anew with each version of the model's key. */
export interface Backoffs {
  with(model: KeyedModel): Backoff;
  isReady(model: KeyedModel): boolean;
  fault(model: KeyedModel): EmbedderFault | undefined;
  /** Whether the last request to a model failed, with whichever key. */
  isFailing(model: number): boolean;
  /** Clears the backoff of all models of this tenant. */
  resetTenant(tenantId: string): void;
  forget(model: number): void;
  /** Forgets all other models. */
  retain(models: ReadonlySet<number>): void;
}

/** Creates each backoff on first use. */
export function createBackoffs(dependencies: Dependencies, options: BackoffOptions): Backoffs {
  const known = new Map<number, { tenantId: string; keyVersion: string | null; backoff: Backoff }>();
  const forget = (model: number) => void known.delete(model);
  function find({ id, keyVersion }: KeyedModel): Backoff | undefined {
    const one = known.get(id);
    return one?.keyVersion === keyVersion ? one.backoff : undefined;
  }
  return {
    with(model) {
      const { id, tenantId, keyVersion } = model;
      const backoff = find(model) ?? createBackoff(dependencies, options);
      known.set(id, { tenantId, keyVersion, backoff });
      return backoff;
    },
    isReady: (model) => find(model)?.isReady() ?? true,
    fault: (model) => find(model)?.fault(),
    isFailing: (model) => known.get(model)?.backoff.fault() !== undefined,
    resetTenant(tenantId) {
      for (const [id, one] of known) if (one.tenantId === tenantId) forget(id);
    },
    forget,
    retain(models) {
      for (const id of known.keys()) if (!models.has(id)) forget(id);
    },
  };
}
