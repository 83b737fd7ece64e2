import { SAME_TEXT } from './twin-fill.ts';
import type { Scenario } from './twin-world.ts';

/** What the twins do through the API, by name. Reading comes before writing, erasing last. */
export const REQUESTS: Record<string, Scenario> = {
  async 'read memories'({ call, filled: { memories } }) {
    for (const id of Object.values(memories)) {
      await call(`GET /v1/memories/${id}`);
      await call(`GET /v1/memories/${id}/history`);
    }
    for (const query of LISTS) await call(`GET /v1/memories${query}`);
    const page = await call('GET /v1/memories?limit=2');
    await call(`GET /v1/memories?limit=2&cursor=${page.body.nextCursor}`);
    const tagged = await call('GET /v1/memories?limit=1&tag=bird');
    await call(`GET /v1/memories?limit=1&tag=bird&cursor=${tagged.body.nextCursor}`);
  },

  async 'read a profile, the account and its usage'(twin) {
    await twin.daemon.db.probe(0);
    await twin.call('GET /v1/account');
    await twin.call('GET /v1/usage?days=30');
    for (const user of ['default', 'ann']) {
      twin.record('profile', await twin.daemon.profile.digest({ tenantId: twin.tenantId } as never, user));
    }
  },

  async 'add and change memories'({ call, name, filled: { memories } }) {
    await call('POST /v1/memories', { content: SAME_TEXT });
    await call('POST /v1/memories', { content: 'Something that both add.' });
    await call('POST /v1/memories', { content: `The name is ${name}.` });
    const first = { content: `The house of ${name} is red.`, tags: ['home', 'bird'] };
    await call('POST /v1/memories', first, { 'idempotency-key': 'first' });
    await call('POST /v1/memories', { content: 'Another one.' }, { 'idempotency-key': 'first' });
    await call('POST /v1/memories', { content: 'Both use this key.' }, { 'idempotency-key': 'third' });
    await call('POST /v1/memories/batch', {
      memories: [{ content: 'One of a batch.', supersedes: memories.pinned }, { content: SAME_TEXT }],
    });
    await call('POST /v1/memories', { content: `The boat of ${name} sank.`, user: 'ann', supersedes: memories.others });
    await call(`PATCH /v1/memories/${memories.changed}`, { content: `The house of ${name} is gone.`, tags: ['home'] });
    await call(`PATCH /v1/memories/${memories.changed}`, { pinned: true }, { 'if-match': '"1-1"' });
    await call(`PATCH /v1/memories/${memories.same}`, { tags: ['bird'] });
    await call('PUT /v1/memories/external/car', { content: `The car of ${name} is sold.` });
    await call('PUT /v1/memories/external/bike', { content: `The bike of ${name} is new.` });
    await call('GET /v1/memories?includeSuperseded=true&limit=50');
  },

  async 'erase memories'({ call, filled: { memories } }) {
    await call(`DELETE /v1/memories/${memories.changed}`);
    await call(`DELETE /v1/memories/${memories.successor}`);
    await call('POST /v1/memories', { content: 'Erased keys do not replay.' }, { 'idempotency-key': 'first' });
    await call('GET /v1/memories?includeSuperseded=true&limit=50');
    await call('POST /v1/search', { query: 'heron house guest kettle' });
    await call('GET /v1/memories?tag=bird&includeSuperseded=true');
  },

  async 'read conversations and episodes'({ call, filled }) {
    const { conversation, messages, otherConversation, episode, cut } = filled;
    for (const id of [conversation, otherConversation]) {
      await call(`GET /v1/conversations/${id}`);
      await call(`GET /v1/conversations/${id}/messages`);
      await call(`GET /v1/conversations/${id}/messages?order=oldest&limit=1`);
      await call(`GET /v1/episodes?conversationId=${id}`);
    }
    for (const id of messages) await call(`GET /v1/conversations/${conversation}/messages/${id}`);
    for (const id of [episode, cut]) await call(`GET /v1/episodes/${id}`);
    for (const list of ['conversations', 'episodes']) {
      for (const query of ['', '?user=ann', '?after=2026-01-01T00:00:00Z', '?before=2026-01-01T00:00:00Z']) {
        await call(`GET /v1/${list}${query}`);
      }
      const page = await call(`GET /v1/${list}?limit=1`);
      await call(`GET /v1/${list}?limit=1&cursor=${page.body.nextCursor}`);
    }
  },

  async 'write conversations and episodes'(twin) {
    const { call, name, settle, filled } = twin;
    const { conversation, messages, otherConversation, episode, cut } = filled;
    const said = (content: string) => ({ messages: [{ role: 'user', content, createdAt: '2026-01-05T09:00:00Z' }] });
    await call(`PATCH /v1/conversations/${conversation}`, { title: `Once ${name} said` });
    await call(`POST /v1/conversations/${conversation}/messages`, said(`The pond of ${name} dried.`));
    await call(`POST /v1/conversations/${otherConversation}/messages`, said(`The cousin of ${name} wrote.`));
    await settle();
    await call(`POST /v1/conversations/${conversation}/episodes`);
    await call(`PATCH /v1/episodes/${episode}`, { title: `The spring of ${name}` });
    await call(`PATCH /v1/episodes/${cut}`, { summary: `The cousin of ${name} was here.` });
    await call(`DELETE /v1/conversations/${otherConversation}/messages/${messages[0]}`);
    await call(`DELETE /v1/conversations/${conversation}/messages/${messages[2]}`);
    const newest = (await call(`GET /v1/conversations/${conversation}/messages?limit=1`)).body.data[0].id;
    await call(`DELETE /v1/conversations/${conversation}/messages/${newest}`);
    await call(`PATCH /v1/conversations/${conversation}/messages/${messages[0]}`, { content: `I am ${name} no more.` });
    await call(`PATCH /v1/conversations/${otherConversation}`, { project: 'travel' });
    await settle();
    await call(`GET /v1/conversations/${conversation}`);
    await call(`GET /v1/episodes`);
    await call(`DELETE /v1/episodes/${cut}`);
    await call(`DELETE /v1/conversations/${otherConversation}/messages`);
  },

  async 'erase conversations and episodes'(twin) {
    const { call, settle, filled } = twin;
    await call(`DELETE /v1/conversations/${filled.conversation}`);
    await call('GET /v1/episodes');
    await call('GET /v1/conversations');
    await call(`DELETE /v1/episodes/${filled.episode}`);
    await call(`DELETE /v1/conversations/${filled.otherConversation}`);
    await settle();
    await call('GET /v1/jobs');
  },

  async search({ call }) {
    for (const body of SEARCHES) await call('POST /v1/search', body);
    await call('POST /v1/context', { query: 'What about the heron and the pond?' });
    await call('POST /v1/context', { query: 'cousin', user: 'ann' });
    for (const where of STARTS) await call('POST /v1/context', { query: 'x', purpose: 'session_start', ...where });
  },

  async 'open searches and count uses'({ call, settle, filled }) {
    await settle();
    await call('GET /v1/searches');
    await call('GET /v1/searches?user=default');
    await call(`GET /v1/searches/${filled.search}`);
    await call(`GET /v1/memories/${filled.result}/use`);
    await call('GET /v1/memories/stats?includeSuperseded=true');
    for (const id of Object.values(filled.memories)) await call(`GET /v1/memories/${id}/neighbors`);
    await call(`DELETE /v1/memories/${filled.result}`);
    await call('GET /v1/searches');
  },

  async 'learn from feedback'({ call, settle, filled }) {
    await call('GET /v1/retrieval/languages');
    await call('GET /v1/retrieval?days=30&weights=all');
    await call('GET /v1/retrieval?user=ann&days=30');
    await call('GET /v1/profile?user=ann');
    await call(`POST /v1/searches/${filled.learnedSearch}/feedback`, { used: [filled.result] });
    await call(`POST /v1/searches/${filled.search}/feedback`, { used: [filled.result] });
    await settle();
    await call('GET /v1/retrieval');
    await call('GET /v1/usage?days=30');
    await call('DELETE /v1/retrieval');
    await call('GET /v1/retrieval');
    await call('GET /v1/usage?days=30');
  },

  async 'use provider keys'(twin) {
    const { call, server } = twin;
    await call('GET /v1/provider-keys');
    await call('GET /v1/provider-keys/openai');
    await call('POST /v1/provider-keys/openai/validate');
    twin.record(
      'the provider got',
      server.requests.slice(-1).map(({ headers }) => headers.authorization),
    );
    await call('GET /v1/provider-settings');
    await call('PATCH /v1/provider-settings', { extraction: { dailyTokens: 500_000 } });
    await call('GET /v1/provider-settings');
    await call('GET /v1/usage?days=30');
    await call('PUT /v1/provider-keys/openai', { key: `sk-new-${twin.name}-01234`, baseUrl: server.baseUrl });
    await call('DELETE /v1/provider-keys/openai-compatible');
    await call('GET /v1/provider-keys');
  },

  async 'extract memories'(twin) {
    const { call, server, settle, name, filled } = twin;
    const { conversation, otherConversation, job } = filled;
    await call('GET /v1/jobs');
    await call(`GET /v1/jobs?conversationId=${conversation}&state=done`);
    await call(`GET /v1/jobs/${job}`);
    await call('GET /v1/provider-settings');
    const before = server.requests.length;
    await call(`POST /v1/conversations/${otherConversation}/extract`, {});
    await settle();
    await call(`POST /v1/conversations/${conversation}/extract`, { again: true });
    await settle();
    await call(`POST /v1/conversations/${conversation}/messages`, {
      messages: [{ role: 'user', content: `The swan of ${name} came.`, createdAt: '2026-01-05T11:15:00Z' }],
    });
    await call(`POST /v1/conversations/${conversation}/extract`, {});
    await settle();
    const asked = server.requests.slice(before).filter(({ path }) => path.endsWith('/chat/completions'));
    twin.record(
      'the provider got',
      asked.map(({ headers, body }) => [headers.authorization, body]),
    );
    await call('GET /v1/jobs');
    await call('GET /v1/provider-settings');
    await call('GET /v1/memories?limit=50');
    await call(`DELETE /v1/jobs/${job}`);
    await call('GET /v1/jobs');
    await call('DELETE /v1/provider-keys/openai');
  },

  async 'export and import'({ name, call, filled: { memories } }) {
    const exported = (await call('GET /v1/export')).text;
    await call('GET /v1/export?user=ann');
    await call('POST /v1/import', exported);
    await call(`DELETE /v1/memories/${memories.others}`);
    await call(`DELETE /v1/memories/${memories.successor}`);
    // The account has the successor under another id now.
    await call('POST /v1/memories', { content: `The heron of ${name} sleeps at the river.` });
    await call('POST /v1/import', exported);
    await call('DELETE /v1/retrieval');
    await call('POST /v1/import', exported);
    await call('GET /v1/memories?limit=50&includeSuperseded=true');
  },

  async 'revoke the key'({ call }) {
    await call('DELETE /v1/auth/key');
    await call('GET /v1/account');
  },

  async 'erase the account'({ call }) {
    await call('DELETE /v1/account');
    await call('GET /v1/account');
  },
};

const LISTS = [
  '',
  '?tag=bird',
  '?user=ann',
  '?tag=bird&user=ann',
  '?includeSuperseded=true',
  '?tag=bird&includeSuperseded=true',
  '?pinned=true',
  '?source=msg_of_both',
  '?project=garage&projectOnly=true&total=true',
  '?orderBy=updatedAt&order=asc&total=true',
  '?tag=bird&total=true&metadata.kind=bird',
  '?after=2025-12-01T00:00:00Z&before=2026-01-01T00:00:00Z',
];

const STARTS = [{}, { user: 'ann' }, { project: 'garage' }];

const SEARCHES = [
  { query: 'heron', explain: true },
  { query: 'herom', limit: 50 },
  { query: 'What did ada and bob say about the pond?' },
  { query: 'house', types: ['memory'] },
  { query: 'heron', filter: { tags: ['bird'] } },
  { query: 'heron', filter: { metadata: { kind: 'bird' } } },
  { query: 'pond in January 2026', types: ['message', 'episode'] },
  { query: 'heron lake', asOf: '2026-01-05T11:15:00Z' },
  { query: 'heron pond house', asOf: '2026-01-05T10:00:00Z', limit: 50 },
  { query: 'cousin', user: 'ann' },
  { query: 'winter', strategy: 'semantic' },
];
