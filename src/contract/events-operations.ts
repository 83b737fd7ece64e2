import { tagged } from './operations.ts';

const EVENT = `id: 41-1795320287123
event: memory.created
data: {"id":"mem_01a2016d8e3577f4b5d55323fe9aeaa9","user":"ada","author":null,"at":"2026-11-22T04:04:47.123Z"}

`;

export const EVENT_OPERATIONS = tagged('activity', {
  'GET /v1/events': {
    id: 'events.stream',
    summary: 'Stream the changes in the account',
    description:
      'Streams the changes in the account as server-sent events, within about a second, without content: `memory.created`, `memory.updated`, `memory.deleted`; `conversation.created`, `.appended`, `.updated`, `.deleted`; `episode.created`, `.updated`, `.deleted`; `job.changed`, `feedback`, `user.deleted`, `account.changed`. With `Last-Event-ID` it continues after that event for an hour and 10,000 changes; beyond them the first event is `reset`: read again what you show. A comment every 15 seconds keeps the connection open. An account can have 10 streams on a daemon, and the stream ends when its key does.',
    answer: EVENT,
    headers: ['Cache-Control', 'X-Accel-Buffering'],
    resumable: true,
  },
});
