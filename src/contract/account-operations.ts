import { type Operations, PRIVATE, tagged } from './operations.ts';

const STORED_BYTES = { limit: 1_073_741_824, used: 2048, resetsAt: null };

export const EXAMPLE_ACCOUNT = {
  tenantId: 'ten_01a2016cf94e74d8802b9a1e9b0015cd',
  email: 'ada@example.com',
  tier: 'Free',
  limits: { requestsPerMinute: 120 },
  quotas: {
    dailyMemories: { limit: 5000, used: 4, resetsAt: '2026-11-23T00:00:00.000Z' },
    monthlyQueries: { limit: 50_000, used: 5, resetsAt: '2026-12-01T00:00:00.000Z' },
    storedBytes: STORED_BYTES,
  },
  key: { createdAt: '2026-11-22T04:04:08.655Z', lastUsedAt: '2026-11-22T04:04:46.504Z', last4: '5077' },
  openSuggestions: 2,
  unreadChanges: 0,
  lastBackupAt: '2026-11-21T03:00:00.000Z',
  credential: { kind: 'apiKey', scope: 'account' },
};

export const ACCOUNT_OPERATIONS: Operations = {
  ...tagged('account', {
    'GET /v1/account': {
      id: 'account.get',
      summary: 'Get the account: limits, quotas, key metadata',
      description:
        'Returns the tier with its limits, the state of the quotas, the number of open suggestions, the API key and the credential of the request. If the daemon has only one account, also when it was last backed up.',
      answer: EXAMPLE_ACCOUNT,
      etag: true,
    },
    'DELETE /v1/account': {
      id: 'account.delete',
      summary: 'Erase the tenant and all its data',
      personal: true,
      description:
        'Erases the account with everything in it, including its key and connections. This cannot be undone. `If-Match` ignores usage.',
      etag: true,
      scope: 'account',
    },
    'GET /v1/usage': {
      id: 'usage.get',
      summary: 'Get daily requests, memories, queries and tokens, and the learning curve',
      description: 'Returns one entry for each of the last days, the tokens used by model, and the learning curve.',
      answer: {
        days: [{ day: '2026-11-22', requests: 17, memories: 4, queries: 5 }],
        models: [
          {
            day: '2026-11-22',
            purpose: 'extraction',
            provider: 'openai',
            model: 'gpt-4.1-mini',
            requests: 1,
            inputTokens: 512,
            outputTokens: 48,
            spend: 0,
          },
        ],
        storedBytes: STORED_BYTES,
        learning: [{ day: '2026-11-22', feedbacks: 1, meanReciprocalRank: { shown: 1, default: 0.5 } }],
      },
    },
  }),
  ...tagged('auth', {
    'DELETE /v1/auth/key': {
      id: 'auth.revokeKey',
      summary: 'Invalidate the API key',
      personal: true,
      description:
        'Invalidates the API key of the account at once. Connections stay. To get another key, sign in again.',
      scope: 'account',
      headers: PRIVATE,
    },
  }),
};
