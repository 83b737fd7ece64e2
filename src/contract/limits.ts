import { type Static, Type } from 'typebox';

export const TIERS = ['Free', 'Pro', 'Enterprise'] as const;
export const Tier = Type.Enum([...TIERS]);
export type Tier = (typeof TIERS)[number];

/** Requests per minute by tier, as specified. */
export const REQUESTS_PER_MINUTE: Record<Tier, number> = { Free: 120, Pro: 600, Enterprise: 3000 };

export type QuotaName = 'dailyMemories' | 'monthlyQueries';
export type QuotaVariant = 'A' | 'B';

/** The two variants of the quotas; `null` is unlimited. The specification calls neither definitive. */
export const QUOTAS: Record<QuotaVariant, Record<Tier, Record<QuotaName, number | null>>> = {
  A: {
    Free: { dailyMemories: 100, monthlyQueries: 1_000 },
    Pro: { dailyMemories: null, monthlyQueries: 50_000 },
    Enterprise: { dailyMemories: null, monthlyQueries: null },
  },
  B: {
    Free: { dailyMemories: 5_000, monthlyQueries: 50_000 },
    Pro: { dailyMemories: 100_000, monthlyQueries: 1_000_000 },
    Enterprise: { dailyMemories: null, monthlyQueries: null },
  },
};

/** The bytes of text that an account may store, by tier; `null` is unlimited. */
export type StorageLimits = Record<Tier, number | null>;
export const STORAGE_LIMITS: StorageLimits = { Free: 1024 ** 3, Pro: 50 * 1024 ** 3, Enterprise: null };

const Limit = Type.Union([Type.Integer(), Type.Null()], { description: 'null: unlimited' });

export const QuotaState = Type.Object({
  limit: Limit,
  used: Type.Integer(),
  resetsAt: Type.String({ format: 'date-time' }),
});
export type QuotaState = Static<typeof QuotaState>;

export const StorageState = Type.Object({
  limit: Limit,
  used: Type.Integer({ description: 'UTF-8 bytes of text' }),
  resetsAt: Type.Null({ description: 'Deleting frees room' }),
});
export type StorageState = Static<typeof StorageState>;
