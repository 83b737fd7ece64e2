import type { ModelDay } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { UsedTokens } from '../../contract/provider-settings.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, nextUtcDayMs, toTimestamp, utcDay } from '../../lib/clock.ts';
import type { TokensSpent } from '../../outside/providers/provider-models.ts';
import { findSettings, type ProviderSettingsRow } from './provider-settings-store.ts';
import { addUsed, deleteUsedOf, findUsed, listUsed, type Purpose } from './spending-store.ts';

export type { Purpose } from './spending-store.ts';

/** One request to a model, or more of them, and what it took. */
export interface TokensUsed {
  provider: string;
  model: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

/** What models are asked for with the keys of a tenant, by UTC day. */
export interface Spending {
  usedToday(reader: Reader, tenantId: string, purpose: Purpose): Promise<UsedTokens>;
  /**
   * Asks for memories, and counts that by `add`, while the tenant's own cap is not reached for today; where it is, throws
   * `quota_exceeded` with `resetsAt`. What others ask for meanwhile, at its most, counts as used: who might pass the cap
   * with them waits for them. So one request alone goes beyond it.
   */
  withinCap<T>(tenantId: string, worstCase: TokensSpent, request: () => Promise<T>): Promise<T>;
  /** Counts, in the caller's transaction. Returns what it came to. */
  add(connection: Connection, tenantId: string, purpose: Purpose, used: TokensUsed): Promise<UsedTokens>;
  /** The days on which models were asked, the oldest first. */
  days(tenant: { tenantId: string }, days: number): Promise<ModelDay[]>;
  /** When the day's caps are over. */
  resetsAtMs(): number;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

const PER_MILLION = 1e-6;
const DAY_MS = 86_400_000;

/** Counts in the transaction of what was paid for, so that a crash forgets no token that it shows. */
export function createSpending({ db, clock }: { db: Database; clock: Clock }): Spending {
  const usedToday = (reader: Reader, tenantId: string, purpose: Purpose) =>
    findUsed(reader, { tenantId, day: utcDay(clock.nowMs()), purpose });
  const resetsAtMs = () => nextUtcDayMs(clock.nowMs());
  const reservations = new Map<string, Set<Reservation>>();

  /** Waits for the tenant's turn, and takes it; returns what gives it back. */
  async function acquire(tenantId: string, worstCase: TokensSpent): Promise<() => void> {
    for (;;) {
      const before = [...(reservations.get(tenantId) ?? [])];
      const settings = await findSettings(db.readers, tenantId);
      const used = await usedToday(db.readers, tenantId, 'extraction');
      const cap = reachedCap(settings, used);
      if (cap !== undefined) throw capReached(cap, toTimestamp(resetsAtMs()));
      // Also those that ended since: what they took may be counted or not.
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

/** Tokens a day, unless the account says otherwise: some hundred conversations. */
export const DEFAULT_DAILY_TOKENS = 1_000_000;

/** One who asks now. */
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
  return new AppError('quota_exceeded', `The account's own cap of ${cap} a day is reached until ${resetsAt}.`, {
    extra: { resetsAt },
  });
}

function reachedCap(settings: ProviderSettingsRow | undefined, used: UsedTokens): string | undefined {
  const dailyTokens = settings ? settings.dailyTokens : DEFAULT_DAILY_TOKENS;
  if (dailyTokens !== null && used.inputTokens + used.outputTokens >= dailyTokens) return `${dailyTokens} tokens`;
  const dailySpend = settings?.dailySpend ?? null;
  return dailySpend !== null && used.spend >= dailySpend ? `${dailySpend} of spend` : undefined;
}
