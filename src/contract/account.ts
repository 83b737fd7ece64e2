import { type Static, Type } from 'typebox';
import { Nullable, strict } from './common.ts';
import { LearningDay } from './learning.ts';
import { QuotaState, StorageState, Tier } from './limits.ts';
import { UsedTokens } from './provider-settings.ts';
import { SCOPES } from './scopes.ts';

/** The message of a 401 whose credential is missing or unknown. */
export const UNAUTHENTICATED = 'Send a valid API key as "Authorization: Bearer svc_live_…". To get one, run svc login.';

const KeyMetadata = Type.Object({
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Nullable(Type.String({ format: 'date-time', description: 'Precise to the minute' })),
  last4: Type.String(),
});

export const Account = Type.Object({
  tenantId: Type.String(),
  email: Type.String(),
  tier: Tier,
  limits: Type.Object({ requestsPerMinute: Type.Integer() }),
  quotas: Type.Object({ dailyMemories: QuotaState, monthlyQueries: QuotaState, storedBytes: StorageState }),
  key: Type.Union([KeyMetadata, Type.Null()], { description: 'The API key; null if there is none' }),
  credential: Type.Object(
    {
      kind: Type.Enum(['apiKey', 'session', 'device', 'oauth']),
      scope: Type.Enum([...SCOPES], {
        description:
          'What it may do: read memories, change them too, or also manage the account with its key and connections',
      }),
      id: Type.Optional(Type.String({ description: 'The id of its connection; absent for the API key' })),
      client: Type.Optional(Type.String({ description: 'The client of its connection; absent for the API key' })),
    },
    { description: 'What this request was made with' },
  ),
  openSuggestions: Type.Integer({ description: 'Suggested changes of memories that wait for a decision' }),
  unreadChanges: Type.Integer({
    description:
      'Changes that svc has not read yet for suggestions and topics; memories too, while it reads all of them',
  }),
  lastBackupAt: Type.Optional(
    Nullable(
      Type.String({
        format: 'date-time',
        description:
          'When the database was last backed up; null if never. Absent if the daemon has other accounts or uses PostgreSQL',
      }),
    ),
  ),
});
export type Account = Static<typeof Account>;

export const UsageQuery = Type.Object(
  { days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })) },
  strict,
);
export type UsageQuery = Static<typeof UsageQuery>;
const UsageDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  requests: Type.Integer(),
  memories: Type.Integer(),
  queries: Type.Integer(),
});

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
  models: Type.Array(ModelDay, { description: 'Model calls made with the provider keys of the account' }),
  learning: Type.Array(LearningDay, { description: 'Days on which search ranking learned from feedback' }),
  storedBytes: StorageState,
});
export type Usage = Static<typeof Usage>;
export type UsageDays = Pick<Usage, 'days' | 'storedBytes'>;

export const TokenAnswer = Type.Object({ apiKey: Type.String(), account: Account });
export type TokenAnswer = Static<typeof TokenAnswer>;
