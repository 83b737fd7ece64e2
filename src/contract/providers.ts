import { type Static, Type } from 'typebox';
import { Nullable, Page, strict } from './common.ts';
import { PROVIDERS } from './provider-names.ts';

export { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from './provider-names.ts';

/**
 * Outcome of a key check. `ok`: the provider accepted the key; `refused`: it is invalid, expired or revoked;
 * `out_of_scope`: it lacks a permission. `rate_limited`, `unreachable`, `slow` and `failed` (a provider error or an
 * unusable response) say nothing about the key.
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

/** Visible ASCII, because it goes into a header unchanged. */
const Key = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' });
export const ModelName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u0020\\u007f]+$' });

export const NewProviderKey = Type.Object(
  {
    key: Type.Optional({ ...Key, description: 'Required for all but ollama and openai-compatible' }),
    baseUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Custom base URL' })),
    models: Type.Optional(
      Type.Array(ModelName, {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Models that svc may use with the key; absent: all',
      }),
    ),
  },
  strict,
);
export type NewProviderKey = Static<typeof NewProviderKey>;

export const ProviderName = Type.Enum([...PROVIDERS]);

export const ProviderKey = Type.Object({
  id: Type.String(),
  provider: ProviderName,
  last4: Nullable(Type.String({ description: 'Of the key; null if it has fewer than eight characters' })),
  status: Type.Enum([...KEY_STATUSES]),
  validatedAt: Nullable(Type.String({ format: 'date-time', description: 'When the provider last accepted it' })),
  models: Type.Array(Type.String(), {
    description: 'Models that the key is limited to, or else all that the provider listed',
  }),
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

export const ProviderKeys = Page(ProviderKey);
export type ProviderKeys = Static<typeof ProviderKeys>;

export const ProviderParams = Type.Object({ provider: Type.String({ maxLength: 300 }) });
