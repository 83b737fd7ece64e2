import { tagged } from './operations.ts';

const PROVIDER_KEY = {
  id: 'pk_01a2016dc1a07b1e8d3f5a6b7c8d9e0f',
  provider: 'openai',
  last4: '9f3c',
  status: 'valid',
  validatedAt: '2026-11-22T04:12:00.000Z',
  models: ['gpt-4.1-mini', 'text-embedding-3-small'],
  baseUrl: null,
  check: { outcome: 'ok', message: 'The provider accepted the key.', at: '2026-11-22T04:12:00.000Z' },
  createdAt: '2026-11-22T04:12:00.000Z',
  updatedAt: '2026-11-22T04:12:00.000Z',
};

const USED = { requests: 1, inputTokens: 512, outputTokens: 48, spend: 0 };

const SETTINGS = {
  embedding: { provider: 'openai', model: 'text-embedding-3-small', state: 'serving', waiting: 0, fault: null },
  extraction: {
    model: { provider: 'openai', model: 'gpt-4.1-mini' },
    onAppend: true,
    dailyTokens: 1_000_000,
    pricePerMillion: null,
    dailySpend: null,
  },
  tidySchedule: 'off',
  today: { resetsAt: '2026-11-23T00:00:00.000Z', embedding: USED, extraction: USED },
};

export const PROVIDER_OPERATIONS = tagged('provider keys', {
  'GET /v1/provider-keys': {
    id: 'providerKeys.list',
    summary: 'List provider keys',
    description: 'Lists the stored keys, of which only the last four characters are shown.',
    answer: { data: [PROVIDER_KEY], nextCursor: null },
  },
  'PUT /v1/provider-keys/{provider}': {
    id: 'providerKeys.put',
    summary: 'Check a key with its provider and store it, encrypted',
    description:
      'Checks the key with a cheap call to the provider, then stores it encrypted in place of the previous one. A key that the provider refuses is 422 and not stored; if the provider cannot be reached, it is stored as `unverified`. Needs the scope `account`: the key names where memories and messages are sent.',
    request: { key: 'sk-proj-0123456789abcdef', models: ['gpt-4.1-mini', 'text-embedding-3-small'] },
    answer: PROVIDER_KEY,
    etag: true,
    scope: 'account',
    errors: ['conflict', 'unprocessable'],
  },
  'GET /v1/provider-keys/{provider}': {
    id: 'providerKeys.get',
    summary: 'Get the key of a provider',
    description: 'Returns what is known about the key of a provider, without the key.',
    answer: PROVIDER_KEY,
    etag: true,
  },
  'POST /v1/provider-keys/{provider}/validate': {
    id: 'providerKeys.validate',
    summary: 'Check the key again with its provider',
    description: 'Checks the stored key again. The result is in `status` and `check`.',
    answer: PROVIDER_KEY,
    etag: true,
    scope: 'account',
    errors: ['conflict', 'unprocessable'],
  },
  'DELETE /v1/provider-keys/{provider}': {
    id: 'providerKeys.delete',
    summary: 'Remove the key and everything that depends on it',
    description: 'Erases the key, cancels its jobs and resets the settings that depend on it.',
    etag: true,
    scope: 'account',
  },
  'GET /v1/provider-settings': {
    id: 'providerSettings.get',
    summary: 'Get what svc may do with the provider keys, and usage of today',
    description: 'Returns the chosen models, the caps, and what was used today.',
    answer: SETTINGS,
    etag: true,
  },
  'PATCH /v1/provider-settings': {
    id: 'providerSettings.update',
    summary: 'Choose the embedding model and how memories are extracted from conversations',
    description:
      'Changes the given settings; `null` resets one. `If-Match` ignores the usage of today. Without the scope `account`, only `dailyTokens` and `dailySpend` can be changed, and only lowered: a stolen device cannot spend more, or send conversations to a provider.',
    request: { extraction: { onAppend: true, dailyTokens: 1_000_000 } },
    answer: SETTINGS,
    etag: true,
    errors: ['conflict', 'unprocessable'],
  },
});
