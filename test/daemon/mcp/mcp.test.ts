import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import { setUsed } from '../../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';

type Era = 'legacy' | 'modern';
interface ToolAnswer {
  text: string;
  isError: boolean;
  data: Record<string, unknown>;
}

const ERAS: Era[] = ['legacy', 'modern'];
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

let daemon: TestDaemon;
const open: Client[] = [];

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(async () => {
  for (const client of open) await client.close();
  await daemon.close();
});

async function connect(apiKey: string, era: Era = 'modern'): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp?structured=true`), { requestInit }),
  );
  open.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  const first = content[0];
  return {
    text: first?.type === 'text' ? first.text : '',
    isError: isError === true,
    data: (structuredContent ?? {}) as Record<string, unknown>,
  };
}

async function used(apiKey: string): Promise<{ memories: number; queries: number }> {
  const { quotas } = (await daemon.call<Account>(apiKey, '/v1/account')).body;
  return { memories: quotas.dailyMemories.used, queries: quotas.monthlyQueries.used };
}

async function tokensLeft(apiKey: string): Promise<number> {
  return Number((await daemon.call(apiKey, '/v1/account')).headers.get('x-ratelimit-remaining'));
}

describe('what assistants see', () => {
  test('both protocol eras list the same tools', async () => {
    const { apiKey } = await daemon.signIn('eras@example.com');
    const legacy = await connect(apiKey, 'legacy');
    const modern = await connect(apiKey, 'modern');
    expect(legacy.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(modern.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const { tools } = await modern.listTools();
    expect((await legacy.listTools()).tools).toEqual(tools);
    expect(tools.map((tool) => tool.name)).toEqual([
      'memory_search',
      'memory_context',
      'memory_add',
      'memory_update',
      'memory_delete',
      'memory_get',
      'memory_list',
      'memory_feedback',
      'conversation_append',
    ]);
    expect(modern.getInstructions()).toContain('memory_context');
    expect(legacy.getInstructions()).toBe(modern.getInstructions());
  });

  test('every tool is annotated as reading, adding or deleting', async () => {
    const { apiKey } = await daemon.signIn('hints@example.com');
    const { tools } = await (await connect(apiKey)).listTools();
    const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
    expect(hints).toEqual({
      memory_search: READS,
      memory_context: READS,
      memory_get: READS,
      memory_list: READS,
      memory_add: { ...READS, readOnlyHint: false },
      memory_update: { ...READS, readOnlyHint: false },
      memory_delete: { ...READS, readOnlyHint: false, destructiveHint: true },
      memory_feedback: { ...READS, readOnlyHint: false },
      conversation_append: { ...READS, readOnlyHint: false, idempotentHint: false },
    });
  });

  test('the server declares tools, resources and prompts without listChanged', async () => {
    const { apiKey } = await daemon.signIn('capabilities@example.com');
    const same = { listChanged: false };
    expect((await connect(apiKey)).getServerCapabilities()).toEqual({ tools: same, resources: same, prompts: same });
  });
});

describe.each(ERAS)('conversation_append in the %s era', (era) => {
  test('starts a conversation, continues it by its id, and makes it searchable at once', async () => {
    const { apiKey } = await daemon.signIn(`talk-${era}@example.com`);
    const client = await connect(apiKey, era);
    const say = (content: string, more = {}) =>
      call(client, 'conversation_append', { messages: [{ role: 'user', content }], ...more });
    const { data, text } = await say('The heron stands in the river', { title: 'Birds', user: 'ada' });
    expect(data).toEqual({ conversationId: expect.stringMatching(/^conv_/), messageIds: [expect.any(String)] });
    expect(text).toContain(data.conversationId);
    await say('The heron flew off', { conversationId: data.conversationId });
    const kept = await daemon.call(apiKey, `/v1/conversations/${data.conversationId}`);
    expect(kept.body).toMatchObject({ title: 'Birds', user: 'ada', messageCount: 2 });
    const found = await call(client, 'memory_search', { query: 'heron', user: 'ada' });
    expect(found.data.results).toMatchObject([{ type: 'message' }, { type: 'message' }]);
    expect(found.text).toContain(`of ${data.conversationId}`);
  });

  test('rejects a title or another user for an existing conversation, and stores nothing', async () => {
    const { apiKey } = await daemon.signIn(`talk-refused-${era}@example.com`);
    const client = await connect(apiKey, era);
    const messages = [{ role: 'user', content: 'Hello' }];
    const { conversationId } = (await call(client, 'conversation_append', { messages })).data;
    for (const more of [{ title: 'New' }, { user: 'bob' }, { messages: [] }]) {
      const answer = await call(client, 'conversation_append', { messages, conversationId, ...more });
      expect(answer.isError, answer.text).toBe(true);
    }
    const read = () => daemon.call(apiKey, `/v1/conversations/${conversationId}`);
    expect((await read()).body).toMatchObject({ messageCount: 1 });
    await call(client, 'conversation_append', { messages, conversationId, user: 'default' });
    expect((await read()).body).toMatchObject({ messageCount: 2 });
  });
});

describe.each(ERAS)('the memory tools in the %s era', (era) => {
  test('add, find, read, list, correct and delete a memory', async () => {
    const { apiKey } = await daemon.signIn(`round-${era}@example.com`);
    const client = await connect(apiKey, era);
    const added = await call(client, 'memory_add', { content: 'Ada prefers oolong tea', tags: ['taste'] });
    const id = added.data.id as string;
    expect(added.data).toMatchObject({ content: 'Ada prefers oolong tea', tags: ['taste'], version: 1 });
    expect(added.text).toContain(id);

    const found = await call(client, 'memory_search', { query: 'oolong' });
    expect(found.data.results).toMatchObject([{ type: 'memory', id }]);
    expect(found.text).toContain('Ada prefers oolong tea');
    expect(found.text).toContain(`searchId ${found.data.searchId}`);
    const feedback = await call(client, 'memory_feedback', { searchId: found.data.searchId, used: [id] });
    expect(feedback.data).toEqual({ learned: true, events: 1 });
    const again = await call(client, 'memory_feedback', { searchId: found.data.searchId, used: [id] });
    expect([again.data, again.text]).toEqual([{ learned: false, events: 1 }, expect.stringContaining('Nothing new')]);
    const context = await call(client, 'memory_context', { query: 'oolong', maxTokens: 200 });
    expect(context.text).toContain('oolong');
    expect(context.data.citations).toMatchObject([{ id }]);
    const explained = await call(client, 'memory_search', { query: 'oolong', explain: true });
    expect(explained.data).not.toHaveProperty('timings');
    expect((await call(client, 'memory_get', { id })).data).toMatchObject({ id, user: 'default' });
    expect((await call(client, 'memory_list', { tag: 'taste' })).data).toMatchObject({
      data: [{ id }],
      nextCursor: null,
    });

    const changed = await call(client, 'memory_update', { id, content: 'Ada prefers green tea' });
    expect(changed.data).toMatchObject({ id, content: 'Ada prefers green tea', tags: ['taste'], version: 2 });
    expect((await call(client, 'memory_delete', { id })).data).toEqual({ id, deleted: true });
    expect(await call(client, 'memory_get', { id })).toMatchObject({ isError: true });
  });
});

describe('a tool call that is rejected', () => {
  test('returns isError with advice for bad arguments', async () => {
    const { apiKey } = await daemon.signIn('arguments@example.com');
    const client = await connect(apiKey);
    const faults: [string, Record<string, unknown>, string][] = [
      ['memory_add', {}, '`content` is missing'],
      ['memory_add', { content: ['a', 'b'] }, '`content`'],
      ['memory_add', { content: ' ' }, '`content`'],
      ['memory_add', { content: 'a', tags: ['b', {}] }, '`tags.1`'],
      ['memory_add', { content: 'a', occurredAt: 'yesterday' }, '`occurredAt`'],
      ['memory_update', { id: 'mem_1', colour: 'red' }, 'must have at least 2 fields'],
      ['memory_search', { query: 'a', limit: 'many' }, '`limit`'],
      ['memory_search', { query: 'a', types: ['song'] }, 'memory, message, episode'],
      ['memory_list', { cursor: 'made up' }, 'invalid_request'],
    ];
    for (const [tool, args, names] of faults) {
      const answer = await call(client, tool, args);
      expect(answer, `${tool} ${JSON.stringify(args)}`).toMatchObject({ isError: true });
      expect(answer.text).toContain('invalid_request');
      expect(answer.text).toContain(names);
      expect(answer.text).toMatch(/call the tool again/);
    }
    expect((await used(apiKey)).memories).toBe(0);
    expect(await call(client, 'memory_add', { content: 'a', tags: ['b'] })).toMatchObject({ isError: false });
    expect(await call(client, 'memory_search', { query: 'a', limit: 100 })).toMatchObject({ isError: false });
  });

  test('gets the same text for another tenant’s memory as for a missing one', async () => {
    const owner = await connect((await daemon.signIn('owner@example.com')).apiKey);
    const stranger = await connect((await daemon.signIn('stranger@example.com')).apiKey);
    const id = (await call(owner, 'memory_add', { content: 'The safe is behind the painting' })).data.id as string;
    const never = `mem_${'0'.repeat(32)}`;
    for (const [tool, more] of [
      ['memory_get', {}],
      ['memory_update', { content: 'Mine now' }],
      ['memory_delete', {}],
    ] as const) {
      const foreign = await call(stranger, tool, { id, ...more });
      expect(foreign).toMatchObject({ isError: true });
      expect(foreign.text).toContain('not_found');
      expect(foreign.text.replaceAll(id, '')).toBe(
        (await call(stranger, tool, { id: never, ...more })).text.replaceAll(never, ''),
      );
    }
    expect((await call(stranger, 'memory_search', { query: 'safe painting' })).data.results).toEqual([]);
    expect((await call(owner, 'memory_get', { id })).data.content).toBe('The safe is behind the painting');
  });
});

describe('limits and quotas', () => {
  const DAY = '2026-05-20';
  // Far from midnight, when a day's quota begins anew.
  beforeAll(() => daemon.clock.setWall(Date.parse(`${DAY}T12:00:00Z`)));

  test('MCP calls count against the same quotas', async () => {
    const { apiKey } = await daemon.signIn('counted@example.com');
    const client = await connect(apiKey);
    expect(await used(apiKey)).toEqual({ memories: 0, queries: 0 });
    await call(client, 'memory_add', { content: 'One' });
    await call(client, 'memory_search', { query: 'one' });
    await call(client, 'memory_context', { query: 'one' });
    await call(client, 'memory_list', {});
    expect(await used(apiKey)).toEqual({ memories: 1, queries: 2 });
  });

  test('a used-up quota returns isError with the reset time, and reading still works', async () => {
    const { apiKey, account } = await daemon.signIn('used-up@example.com');
    const client = await connect(apiKey);
    await call(client, 'memory_add', { content: 'Fact 4711' });
    await setUsed(daemon, account.tenantId, { day: DAY, memories: 4999 });
    expect((await call(client, 'memory_add', { content: 'The last one' })).isError).toBe(false);
    const refused = await call(client, 'memory_add', { content: 'One too many' });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toMatch(/^quota_exceeded: You have used 5000 of 5000 .*2026-05-21T00:00:00/);
    expect((await call(client, 'memory_search', { query: 'Fact 4711', limit: 1 })).isError).toBe(false);
  });

  test('MCP and REST calls share one rate limit bucket', async () => {
    const { apiKey } = await daemon.signIn('bucket@example.com');
    const client = await connect(apiKey);
    daemon.clock.freeze();
    const before = await tokensLeft(apiKey);
    for (let round = 0; round < 20; round += 1) await call(client, 'memory_list', {});
    expect(before - (await tokensLeft(apiKey))).toBe(21);
    const rush = Array.from({ length: 150 }, () => call(client, 'memory_list', {}));
    expect((await Promise.allSettled(rush)).some(({ status }) => status === 'rejected')).toBe(true);
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(429);
  });
});
