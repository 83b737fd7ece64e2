import { tagged } from './operations.ts';

const WEBHOOK = {
  id: 'whk_01a2016dc1a07b1e8d3f5a6b7c8d9e0f',
  url: 'https://hooks.example.com/svc',
  events: ['memory.created', 'memory.updated', 'memory.deleted'],
  user: null,
  active: true,
  createdAt: '2026-11-22T04:12:00.000Z',
  lastDeliveredAt: '2026-11-22T04:15:01.000Z',
  lastFailure: null,
};

const DELIVERY = {
  id: 'whd_01a2016dc1a07b1e8d3f5a6b7c8d9e10',
  type: 'memory.created',
  itemId: 'mem_01a2016d8e3577f4b5d55323fe9aeaa9',
  state: 'failed',
  attempts: 10,
  status: 500,
  error: 'The receiver answered with status 500.',
  createdAt: '2026-11-22T04:15:00.000Z',
  lastTriedAt: '2026-11-25T03:50:00.000Z',
};

const WITH_SECRET = { ...WEBHOOK, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const PRIVATE = { scope: 'account', headers: ['Cache-Control'] } as const;

export const WEBHOOK_OPERATIONS = tagged('webhooks', {
  'POST /v1/webhooks': {
    ...PRIVATE,
    id: 'webhooks.create',
    summary: 'Add a webhook',
    description:
      'Adds a webhook, at most 10 in an account, to which svc posts each change from now on, signed by Standard Webhooks. The answer shows the secret, once.',
    request: { url: WEBHOOK.url, events: WEBHOOK.events },
    answer: { ...WITH_SECRET, lastDeliveredAt: null },
    etag: true,
    once: true,
    location: true,
    errors: ['unprocessable'],
  },
  'GET /v1/webhooks': {
    id: 'webhooks.list',
    summary: 'List webhooks',
    description: 'Lists the webhooks of the account, the newest first, without their secrets.',
    answer: { data: [WEBHOOK], nextCursor: null },
    scope: 'account',
  },
  'GET /v1/webhooks/{id}': {
    id: 'webhooks.get',
    summary: 'Get a webhook',
    description: 'Returns a webhook without its secret.',
    answer: WEBHOOK,
    scope: 'account',
    etag: true,
  },
  'PATCH /v1/webhooks/{id}': {
    id: 'webhooks.update',
    summary: 'Change a webhook',
    description:
      'Changes a webhook. One that becomes active again gets the changes from then on, after those that were waiting. `If-Match` ignores when it was used.',
    request: { active: false },
    answer: { ...WEBHOOK, active: false },
    scope: 'account',
    etag: true,
    errors: ['unprocessable'],
  },
  'DELETE /v1/webhooks/{id}': {
    id: 'webhooks.delete',
    summary: 'Remove a webhook',
    description: 'Removes a webhook with its deliveries.',
    scope: 'account',
    etag: true,
  },
  'POST /v1/webhooks/{id}/rotate-secret': {
    ...PRIVATE,
    id: 'webhooks.rotateSecret',
    summary: 'Make a new signing secret',
    description:
      'Makes a new secret, which the answer shows, once. For 24 hours requests carry a signature with the former one, too.',
    answer: WITH_SECRET,
    errors: ['unprocessable'],
  },
  'POST /v1/webhooks/{id}/test': {
    id: 'webhooks.test',
    summary: 'Send a test event',
    description:
      'Sends an event of the type `test` at once, also if the webhook is not active, and returns the outcome.',
    answer: { ...DELIVERY, type: 'test', itemId: null, state: 'delivered', attempts: 1, status: 204, error: null },
    scope: 'account',
    errors: ['conflict'],
  },
  'GET /v1/webhooks/{id}/deliveries': {
    id: 'webhooks.deliveries.list',
    summary: 'List the deliveries of a webhook',
    description:
      'Lists the deliveries of a webhook page by page, the newest first: those that wait, and those that succeeded or failed in the last 30 days.',
    answer: { data: [DELIVERY], nextCursor: null },
    scope: 'account',
  },
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay': {
    id: 'webhooks.deliveries.replay',
    summary: 'Send a delivery again',
    description:
      'Sends a delivery that failed or succeeded once more, at once and outside of the order, and returns the outcome.',
    answer: { ...DELIVERY, state: 'delivered', attempts: 11, status: 204, error: null },
    scope: 'account',
    errors: ['conflict'],
  },
});
