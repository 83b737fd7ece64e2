import type { ModelDay } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { UsedTokens } from '../../contract/provider-settings.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, nextUtcDayMs, toTimestamp, utcDay } from '../../lib/clock.ts';
import type { TokensSpent } from '../../outside/providers/provider-models.ts';
import { findSettings, type ProviderSettingsRow } from './provider-settings-store.ts';
import { addUsed, deleteUsedOf, findUsed, listUsed, type Purpose } from './spending-store.ts';

/** Usage of one or more requests to a model. */
interface TokensUsed {
  provider: string;
  model: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

/** Usage of models with a tenant's keys, by UTC day. */
export interface Spending {
  usedToday(reader: Reader, tenantId: string, purpose: Purpose): Promise<UsedTokens>;
  /**
   * Runs an extraction request unless the tenant's daily cap is reached; throws `quota_exceeded` with `resetsAt` if it
   * is. Concurrent requests reserve their worst case: one that might exceed the cap together with them waits, so that
   * only a single request of each daemon can overshoot. The request counts its usage with `add`.
   */
  withinCap<T>(tenantId: string, worstCase: TokensSpent, request: () => Promise<T>): Promise<T>;
  /** Counts usage in the caller's transaction. Returns it with its price. */
  add(connection: Connection, tenantId: string, purpose: Purpose, used: TokensUsed): Promise<UsedTokens>;
  /** Usage by day, oldest first. */
  days(tenant: { tenantId: string }, days: number): Promise<ModelDay[]>;
  /** When the daily caps reset. */
  resetsAtMs(): number;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

const PER_MILLION = 1e-6;
const DAY_MS = 86_400_000;

/** Counts usage in the transaction that stores what it paid for, so that a crash loses neither alone. */
export function createSpending({ db, clock }: { db: Database; clock: Clock }): Spending {
  const usedToday = (reader: Reader, tenantId: string, purpose: Purpose) =>
    findUsed(reader, { tenantId, day: utcDay(clock.nowMs()), purpose });
  const resetsAtMs = () => nextUtcDayMs(clock.nowMs());
  const reservations = new Map<string, Set<Reservation>>();

  /** Waits for room under the cap and reserves it; returns the release function. */
  async function acquire(tenantId: string, worstCase: TokensSpent): Promise<() => void> {
    for (;;) {
      const before = [...(reservations.get(tenantId) ?? [])];
      const settings = await findSettings(db.readers, tenantId);
      const used = await usedToday(db.readers, tenantId, 'extraction');
      const cap = reachedCap(settings, used);
      if (cap !== undefined) throw capReached(cap, toTimestamp(resetsAtMs()));
      // Including those that ended in between: their usage may not be in `used` yet.
      const others = new Set([...before, ...(reservations.get(tenantId) ?? [])]);
      if (others.size === 0 || reachedCap(settings, withReserved(used, others, settings)) === undefined) {
        return reserve(tenantId, worstCase);
      }
      await Promise.race([...others].map(({ ended }) => ended));
    }
  }

  function reserve(tenantId: string, worstCase: TokensSpent): () => void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const own = { worstCase, ended };
    const all = reservations.get(tenantId) ?? new Set();
    reservations.set(tenantId, all.add(own));
    return () => {
      all.delete(own);
      if (all.size === 0) reservations.delete(tenantId);
      end();
    };
  }

  return {
    usedToday,
    async withinCap(tenantId, worstCase, request) {
      const release = await acquire(tenantId, worstCase);
      return request().finally(release);
    },
    async add(connection, tenantId, purpose, { provider, model, ...tokens }) {
      const settings = purpose === 'extraction' ? await findSettings(connection, tenantId) : undefined;
      const used: UsedTokens = { ...tokens, spend: spendOf(settings, tokens) };
      await addUsed(connection, { tenantId, day: utcDay(clock.nowMs()), purpose, provider, model, ...used });
      return used;
    },
    days: ({ tenantId }, days) => listUsed(db.readers, tenantId, utcDay(clock.nowMs() - (days - 1) * DAY_MS)),
    resetsAtMs,
    erase: deleteUsedOf,
  };
}

/** Default daily cap: enough for a few hundred conversations. */
export const DEFAULT_DAILY_TOKENS = 1_000_000;

/** A request in flight. */
interface Reservation {
  worstCase: TokensSpent;
  ended: Promise<void>;
}

function spendOf(settings: ProviderSettingsRow | undefined, { inputTokens, outputTokens }: TokensSpent): number {
  const { inputPrice, outputPrice } = settings ?? {};
  return (inputTokens * (inputPrice ?? 0) + outputTokens * (outputPrice ?? 0)) * PER_MILLION;
}

function withReserved(
  used: UsedTokens,
  all: Iterable<Reservation>,
  settings: ProviderSettingsRow | undefined,
): UsedTokens {
  const sum = { ...used };
  for (const { worstCase } of all) {
    sum.inputTokens += worstCase.inputTokens;
    sum.outputTokens += worstCase.outputTokens;
    sum.spend += spendOf(settings, worstCase);
  }
  return sum;
}

function capReached(cap: string, resetsAt: string): AppError {
  return new AppError('quota_exceeded', `The account's daily cap of ${cap} is reached. It resets at ${resetsAt}.`, {
    extra: { resetsAt },
  });
}

function reachedCap(settings: ProviderSettingsRow | undefined, used: UsedTokens): string | undefined {
  const dailyTokens = settings ? settings.dailyTokens : DEFAULT_DAILY_TOKENS;
  if (dailyTokens !== null && used.inputTokens + used.outputTokens >= dailyTokens) return `${dailyTokens} tokens`;
  const dailySpend = settings?.dailySpend ?? null;
  return dailySpend !== null && used.spend >= dailySpend ? `${dailySpend} of spend` : undefined;
}
