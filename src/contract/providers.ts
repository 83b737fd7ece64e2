import { type Static, Type } from 'typebox';
import { Nullable, strict } from './common.ts';
import { PROVIDERS } from './provider-names.ts';

export { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from './provider-names.ts';

/**
 * What a check of a key found. `ok`: the provider took it; `refused`: it is no key, or no longer; `out_of_scope`: it is
 * one, but may not do this; `rate_limited`, `unreachable`, `slow` and `failed` (an error of the provider's own, or an
 * answer that is none) say nothing about the key.
 */
export const CHECK_OUTCOMES = [
  'ok',
  'refused',
  'out_of_scope',
  'rate_limited',
  'unreachable',
  'slow',
  'failed',
] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

export const KEY_STATUSES = ['valid', 'unverified', 'refused'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** Visible ASCII: it goes into a header as it is. */
const Key = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' });
export const ModelName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u0020\\u007f]+$' });

export const NewProviderKey = Type.Object(
  {
    key: Type.Optional({ ...Key, description: 'Needed for all but ollama and openai-compatible' }),
    baseUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Another address than its own' })),
    models: Type.Optional(
      Type.Array(ModelName, {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'The models that svc may use with it; absent: all that the provider names',
      }),
    ),
  },
  strict,
);
export type NewProviderKey = Static<typeof NewProviderKey>;

export const ProviderKey = Type.Object({
  id: Type.String(),
  provider: Type.Enum([...PROVIDERS]),
  last4: Nullable(Type.String({ description: 'Of the key; null where it has fewer than eight characters' })),
  status: Type.Enum([...KEY_STATUSES]),
  validatedAt: Nullable(Type.String({ format: 'date-time', description: 'When the provider last took it' })),
  models: Type.Array(Type.String(), { description: 'Those that it was given for, or else those the provider named' }),
  baseUrl: Nullable(Type.String()),
  check: Type.Object({
    outcome: Type.Enum([...CHECK_OUTCOMES]),
    message: Type.String(),
    at: Type.String({ format: 'date-time' }),
  }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type ProviderKey = Static<typeof ProviderKey>;

export const ProviderKeys = Type.Object({ data: Type.Array(ProviderKey), nextCursor: Type.Null() });
export type ProviderKeys = Static<typeof ProviderKeys>;

export const ProviderParams = Type.Object({ provider: Type.String({ maxLength: 300 }) });
