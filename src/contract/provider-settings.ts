import { type Static, Type } from 'typebox';
import { Nullable, strict } from './common.ts';
import { ModelName, ProviderName } from './providers.ts';
import { TIDY_SCHEDULES } from './tidy-schedules.ts';

export const TidyScheduleName = Type.Enum([...TIDY_SCHEDULES], {
  description: 'How often the model of `extraction` suggests how to tidy memories, if some changed, under its caps',
});

export const ModelChoice = Type.Object({ provider: ProviderName, model: ModelName }, strict);
const Price = Type.Number({ minimum: 0, maximum: 1_000_000 });
export const TokenPrices = Type.Object({ input: Price, output: Price }, strict);
const Cap = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

/** Automatic uses of an account's keys that it allows. `null` resets a choice. */
export const ProviderSettingsChange = Type.Object(
  {
    embedding: Type.Optional(
      Nullable({ ...ModelChoice, description: "Search by meaning with this model instead of the operator's" }),
    ),
    extraction: Type.Optional(
      Type.Object(
        {
          model: Type.Optional(
            Nullable({
              ...ModelChoice,
              description: 'Extracts memories from conversations; null: a model of the newest key',
            }),
          ),
          onAppend: Type.Optional(
            Type.Boolean({ description: 'Extract automatically, some time after messages were appended' }),
          ),
          dailyTokens: Type.Optional(
            Nullable({ ...Cap, description: 'Input and output tokens per UTC day; null: no limit' }),
          ),
          pricePerMillion: Type.Optional(
            Nullable({
              ...TokenPrices,
              description: 'Prices of input and output tokens in a currency of your choice, to calculate the spend',
            }),
          ),
          dailySpend: Type.Optional(Nullable({ ...Price, description: 'In that currency; requires pricePerMillion' })),
        },
        strict,
      ),
    ),
    tidySchedule: Type.Optional(TidyScheduleName),
  },
  { ...strict, minProperties: 1 },
);
export type ProviderSettingsChange = Static<typeof ProviderSettingsChange>;

export const UsedTokens = Type.Object({
  requests: Type.Integer(),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  spend: Type.Number({ description: 'Calculated with the prices set at the time' }),
});
export type UsedTokens = Static<typeof UsedTokens>;

/**
 * `serving`: searches use it; `filling`: searches use the previous model until all vectors exist; `failing`: see
 * `fault`.
 */
const EmbeddingProgress = Type.Object({
  state: Type.Enum(['filling', 'serving', 'failing']),
  waiting: Type.Integer({ description: 'Texts without a vector of this model yet' }),
  fault: Nullable(Type.String({ description: 'Why it returns no vectors, and what to do' })),
});
export type EmbeddingProgress = Static<typeof EmbeddingProgress>;

export const ProviderSettings = Type.Object({
  embedding: Nullable(Type.Object({ ...ModelChoice.properties, ...EmbeddingProgress.properties })),
  extraction: Type.Object({
    model: Nullable(ModelChoice),
    onAppend: Type.Boolean(),
    dailyTokens: Nullable(Cap),
    pricePerMillion: Nullable(TokenPrices),
    dailySpend: Nullable(Price),
  }),
  tidySchedule: TidyScheduleName,
  today: Type.Object({
    resetsAt: Type.String({ format: 'date-time' }),
    embedding: UsedTokens,
    extraction: UsedTokens,
  }),
});
export type ProviderSettings = Static<typeof ProviderSettings>;
export type ModelChoice = Static<typeof ModelChoice>;
