import { type Static, Type } from 'typebox';
import { Nullable, strict } from './common.ts';
import { LearningDay } from './learning.ts';
import { QuotaState, Tier } from './limits.ts';
import { UsedTokens } from './provider-settings.ts';

/** What every 401 says, whatever its cause. */
export const UNAUTHENTICATED = 'Send a valid API key as "Authorization: Bearer svc_live_…". svc login makes one.';

export const Account = Type.Object({
  tenantId: Type.String(),
  email: Type.String(),
  tier: Tier,
  limits: Type.Object({ requestsPerMinute: Type.Integer() }),
  quotas: Type.Object({ dailyMemories: QuotaState, monthlyQueries: QuotaState }),
  key: Type.Object({
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: Nullable(Type.String({ format: 'date-time', description: 'To the minute' })),
    last4: Type.String(),
  }),
});
export type Account = Static<typeof Account>;

export const UsageQuery = Type.Object(
  { days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })) },
  strict,
);
const UsageDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  requests: Type.Integer(),
  memories: Type.Integer(),
  queries: Type.Integer(),
});
export type UsageDays = { days: Static<typeof UsageDay>[] };

const ModelDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  purpose: Type.Enum(['embedding', 'extraction']),
  provider: Type.String(),
  model: Type.String(),
  ...UsedTokens.properties,
});
export type ModelDay = Static<typeof ModelDay>;

export const Usage = Type.Object({
  days: Type.Array(UsageDay),
  models: Type.Array(ModelDay, { description: 'What models were asked for with the keys of the account' }),
  learning: Type.Array(LearningDay, { description: 'The days on which the retrieval learned from feedback' }),
});
export type Usage = Static<typeof Usage>;

export const TokenAnswer = Type.Object({ apiKey: Type.String(), account: Account });
