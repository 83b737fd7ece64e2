import { tagged } from './operations.ts';

const ENTRY = {
  id: 'req_01a2016d8e3577f4b5d55323fe9aeaa9',
  at: '2026-11-22T04:04:51.877Z',
  client: 'claude-code/2.1.0',
  author: null,
  transport: 'mcp',
  method: 'tools/call',
  route: 'memory_search',
  status: 200,
  milliseconds: 8.4,
  ids: ['mem_01a2016d8e3577f4b5d55323fe9aeaa9'],
  itemCount: 1,
  searchId: 'srch_01a2016d8e3577f4b5d55323fe9aeaa9',
};

export const ACTIVITY_OPERATIONS = tagged('activity', {
  'GET /v1/activity': {
    id: 'activity.list',
    summary: 'List requests, newest first',
    description:
      'Lists the requests of the account page by page, newest first: who, what, how long and which ids, never content. The latest 50,000 are stored for 30 days; a request appears within about a second. Requests refused by the rate limit are not listed.',
    answer: { data: [ENTRY], nextCursor: null },
  },
  'GET /v1/activity/stats': {
    id: 'activity.stats',
    summary: 'Latencies by day, and clients',
    description:
      'Returns how many requests there were on each of the last 30 days, how long they took, and which clients sent them. Covers the requests that are stored, without event streams.',
    answer: {
      days: [{ day: '2026-11-22', requests: 214, p50: 3.2, p95: 18.7 }],
      clients: [{ client: ENTRY.client, transport: 'mcp', requests: 120, lastSeenAt: ENTRY.at }],
    },
  },
});
