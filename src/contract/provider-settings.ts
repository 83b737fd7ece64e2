import { type Static, Type } from 'typebox';
import { Nullable, strict } from './common.ts';
import { ModelName, PROVIDERS } from './providers.ts';

const ProviderName = Type.Enum([...PROVIDERS]);
const Choice = Type.Object({ provider: ProviderName, model: ModelName }, strict);
const Price = Type.Number({ minimum: 0, maximum: 1_000_000 });
const Prices = Type.Object({ input: Price, output: Price }, strict);
const Cap = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

/** What svc may do by itself with the keys of an account. `null` takes a choice back. */
export const ProviderSettingsChange = Type.Object(
  {
    embedding: Type.Optional(
      Nullable({ ...Choice, description: "Search by meaning with this model, in the place of the operator's" }),
    ),
    extraction: Type.Optional(
      Type.Object(
        {
          model: Type.Optional(
            Nullable({ ...Choice, description: 'Draws memories out of conversations; null: one of the newest key' }),
          ),
          onAppend: Type.Optional(
            Type.Boolean({ description: 'Also by itself, some time after messages were appended' }),
          ),
          dailyTokens: Type.Optional(
            Nullable({ ...Cap, description: 'Tokens a UTC day, in and out; null: without limit' }),
          ),
          pricePerMillion: Type.Optional(
            Nullable({
              ...Prices,
              description: 'Of tokens in and out, in the currency of your choice: counts the spend',
            }),
          ),
          dailySpend: Type.Optional(Nullable({ ...Price, description: 'In that currency; needs pricePerMillion' })),
        },
        strict,
      ),
    ),
  },
  { ...strict, minProperties: 1 },
);
export type ProviderSettingsChange = Static<typeof ProviderSettingsChange>;

export const UsedTokens = Type.Object({
  requests: Type.Integer(),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  spend: Type.Number({ description: 'By the prices in the settings at the time' }),
});
export type UsedTokens = Static<typeof UsedTokens>;

/** `serving`: searches ask it; `filling`: until it has everything they ask what served before; `failing`: see `fault`. */
const EmbeddingProgress = Type.Object({
  state: Type.Enum(['filling', 'serving', 'failing']),
  waiting: Type.Integer({ description: 'Texts that have no vector of it yet' }),
  fault: Nullable(Type.String({ description: 'Why it gives no vectors, and what to do' })),
});
export type EmbeddingProgress = Static<typeof EmbeddingProgress>;

export const ProviderSettings = Type.Object({
  embedding: Nullable(Type.Object({ ...Choice.properties, ...EmbeddingProgress.properties })),
  extraction: Type.Object({
    model: Nullable(Choice),
    onAppend: Type.Boolean(),
    dailyTokens: Nullable(Cap),
    pricePerMillion: Nullable(Prices),
    dailySpend: Nullable(Price),
  }),
  today: Type.Object({
    resetsAt: Type.String({ format: 'date-time' }),
    embedding: UsedTokens,
    extraction: UsedTokens,
  }),
});
export type ProviderSettings = Static<typeof ProviderSettings>;
export type ModelChoice = Static<typeof Choice>;
