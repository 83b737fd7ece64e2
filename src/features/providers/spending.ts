import type { ModelDay } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { UsedTokens } from '../../contract/provider-settings.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, nextUtcDayMs, toTimestamp, utcDay } from '../../lib/clock.ts';
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
  /** Throws `quota_exceeded`, with `resetsAt`, where the tenant's own cap on extraction is reached for today. */
  requireBelowCap(reader: Reader, tenantId: string): Promise<void>;
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

  return {
    usedToday,
    async requireBelowCap(reader, tenantId) {
      const settings = await findSettings(reader, tenantId);
      const cap = reachedCap(settings, await usedToday(reader, tenantId, 'extraction'));
      if (cap === undefined) return;
      const resetsAt = toTimestamp(resetsAtMs());
      throw new AppError('quota_exceeded', `The account's own cap of ${cap} a day is reached until ${resetsAt}.`, {
        extra: { resetsAt },
      });
    },
    async add(connection, tenantId, purpose, { provider, model, ...tokens }) {
      const settings = purpose === 'extraction' ? await findSettings(connection, tenantId) : undefined;
      const input = tokens.inputTokens * (settings?.inputPrice ?? 0);
      const output = tokens.outputTokens * (settings?.outputPrice ?? 0);
      const used: UsedTokens = { ...tokens, spend: (input + output) * PER_MILLION };
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

function reachedCap(settings: ProviderSettingsRow | undefined, used: UsedTokens): string | undefined {
  const dailyTokens = settings ? settings.dailyTokens : DEFAULT_DAILY_TOKENS;
  if (dailyTokens !== null && used.inputTokens + used.outputTokens >= dailyTokens) return `${dailyTokens} tokens`;
  const dailySpend = settings?.dailySpend ?? null;
  return dailySpend !== null && used.spend >= dailySpend ? `${dailySpend} of spend` : undefined;
}
