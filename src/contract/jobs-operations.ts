import { type Operations, tagged } from './operations.ts';

const JOB = {
  id: 'job_01a2016db0c4727f8a0b3a5f7f1f6e01',
  kind: 'extract',
  state: 'done',
  conversationId: 'conv_01a2016da13b71d781a925123ae0d492',
  user: null,
  project: null,
  provider: 'openai',
  model: 'gpt-4.1-mini',
  dryRun: false,
  progress: { done: 2, total: 2 },
  attempts: 0,
  error: null,
  nextAttemptAt: null,
  used: { requests: 1, inputTokens: 512, outputTokens: 48, spend: 0 },
  result: {
    added: 1,
    updated: 0,
    superseded: 0,
    nothing: 0,
    decisions: [
      {
        decision: 'add',
        content: 'Ada swims in the lake in winter',
        messageIds: ['msg_01a2016da25f773e82d38afee7c169c5'],
        memoryId: 'mem_01a2016db1d37f6e9f1d2a7b5c3e4f02',
        targetId: null,
        reason: 'A habit that Ada mentioned',
      },
    ],
  },
  tidied: null,
  createdAt: '2026-11-22T04:10:00.000Z',
  updatedAt: '2026-11-22T04:10:03.000Z',
  finishedAt: '2026-11-22T04:10:03.000Z',
};

export const JOB_OPERATIONS: Operations = {
  ...tagged('conversations', {
    'POST /v1/conversations/{id}/extract': {
      id: 'conversations.extract',
      summary: "Extract memories from a conversation with a model of the account's own key",
      description:
        'Queues a job that reads the messages since the last extraction with a model of your own provider key. Follow it at `/v1/jobs/{jobId}`. Without a body, svc chooses the model.',
      request: { provider: 'openai', model: 'gpt-4.1-mini', dryRun: true },
      optionalBody: true,
      answer: { jobId: JOB.id },
      once: true,
      location: true,
      errors: ['quota_exceeded'],
    },
  }),
  ...tagged('suggestions', {
    'POST /v1/tidy': {
      id: 'suggestions.tidy',
      summary: "Suggest how to tidy memories with a model of the account's own key",
      description:
        'Queues a job in which a model of your own provider key suggests how to tidy the memories of a user; if one is open, answers that. Nothing changes until somebody accepts a suggestion. Follow it at `/v1/jobs/{jobId}`. Without a body, svc chooses the model.',
      request: { user: 'ada', provider: 'openai', model: 'gpt-4.1-mini' },
      optionalBody: true,
      answer: { jobId: JOB.id },
      once: true,
      location: true,
    },
  }),
  ...tagged('jobs', {
    'GET /v1/jobs': {
      id: 'jobs.list',
      summary: 'List jobs, newest first',
      description: 'Lists jobs page by page, without their decisions.',
      answer: { data: [{ ...JOB, result: { ...JOB.result, decisions: [] } }], nextCursor: null },
    },
    'GET /v1/jobs/{id}': {
      id: 'jobs.get',
      summary: 'Get a job',
      description: 'Returns the state and progress of a job and, when it has ended, its result or error.',
      answer: JOB,
      etag: true,
    },
    'DELETE /v1/jobs/{id}': {
      id: 'jobs.delete',
      summary: 'Cancel an open job, or delete one that has ended',
      description: 'Cancels a job that has not ended; deletes one that has. Memories that it added stay.',
      etag: true,
    },
  }),
};
