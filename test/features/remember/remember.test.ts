import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/contract/conversations.ts';
import type { Remembered } from '../../../src/contract/remember.ts';
import type { ProviderServer } from '../../helpers/providers/server.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { extracted, untilEnded } from '../extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../providers/provider-daemon.ts';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai');
});
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await newAccount(daemon);
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

const TEA = { role: 'user', content: 'I drink green tea every morning.' };
const remember = (body: object, headers = {}) => caller.call<Remembered>('/v1/remember', { body, headers });
const conversations = async () => (await caller.call<{ data: Conversation[] }>('/v1/conversations')).body.data;
const switchOn = async () => {
  const body = { extraction: { onAppend: true } };
  expect((await caller.call('/v1/provider-settings', { method: 'PATCH', body })).status).toBe(200);
};

describe('remembering', () => {
  test('stores the messages in a new conversation, and further ones in the conversation named', async () => {
    const first = await remember({
      user: 'ada',
      project: 'tea',
      messages: [TEA, { role: 'assistant', content: 'Nice.' }],
    });
    expect(first.status, first.text).toBe(201);
    const { conversationId, messages, jobId } = first.body;
    expect(jobId).toBeNull();
    expect(messages.map(({ ordinal, role }) => [ordinal, role])).toEqual([
      [1, 'user'],
      [2, 'assistant'],
    ]);
    expect(await conversations()).toMatchObject([{ id: conversationId, user: 'ada', project: 'tea', messageCount: 2 }]);
    const parts = [{ type: 'tool_call', id: 'a', name: 'kettle', arguments: { on: true } }];
    const next = await remember({ conversationId, user: 'ada', messages: [{ role: 'assistant', content: parts }] });
    expect(next.body).toMatchObject({ conversationId, messages: [{ ordinal: 3, content: parts }], jobId: null });
    expect((await conversing(caller).page(conversationId, '?order=oldest')).data).toEqual([
      ...messages,
      ...next.body.messages,
    ]);
    expect((await caller.find('kettle', { user: 'ada' }))[0]).toBe('kettle {"on":true}');
  });

  test('extracts memories in the background where the account has switched that on', async () => {
    await putKey(caller, server, 'sk-test');
    await switchOn();
    server.respond(() => ({ memories: [extracted('Ada drinks green tea.', [1])] }));
    const { body } = await remember({ user: 'ada', messages: [TEA] }, { 'user-agent': 'codex/1.2' });
    expect(body.jobId).toMatch(/^job_/);
    expect(await untilEnded(caller, body.jobId!)).toMatchObject({ state: 'done', conversationId: body.conversationId });
    expect(await caller.list('?user=ada&client=codex')).toEqual(['Ada drinks green tea.']);
  });

  test('stores the messages all the same where there is no model to extract with', async () => {
    await switchOn();
    const { status, body } = await remember({ messages: [TEA] });
    expect([status, body.jobId]).toEqual([201, null]);
    expect(await conversations()).toMatchObject([{ messageCount: 1 }]);
  });

  test('happens once per idempotency key, even when sent concurrently', async () => {
    await putKey(caller, server, 'sk-test');
    await switchOn();
    server.respond(() => ({ memories: [] }));
    const send = () => remember({ messages: [TEA] }, { 'idempotency-key': 'once' });
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    const again = await send();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await conversations()).toMatchObject([{ id: again.body.conversationId, messageCount: 1 }]);
    expect((await caller.call<{ data: [] }>('/v1/jobs')).body.data).toHaveLength(1);
    expect((await remember({ messages: [TEA, TEA] }, { 'idempotency-key': 'once' })).status).toBe(422);
  });

  test.each<[string, object, number, string | undefined]>([
    ['no messages', { messages: [] }, 400, '/messages'],
    ['501 messages', { messages: Array(501).fill(TEA) }, 400, '/messages'],
    ['a blank message', { messages: [TEA, { role: 'user', content: ' ' }] }, 400, '/messages/1/content'],
    ['an unknown field', { messages: [TEA], title: 'Tea' }, 400, '/title'],
    ['an unknown conversation', { conversationId: `conv_${'0'.repeat(32)}`, messages: [TEA] }, 404, undefined],
  ])('is refused whole with %s, and creates no conversation', async (_, body, status, path) => {
    const answer = await remember(body);
    expect(answer, answer.text).toMatchObject({ status, ...(path && { body: { errors: [{ path }] } }) });
    expect(await conversations()).toEqual([]);
  });

  test('is refused in a conversation of another user or project', async () => {
    const { conversationId } = (await remember({ user: 'ada', project: 'tea', messages: [TEA] })).body;
    expect((await remember({ conversationId, user: 'bob', messages: [TEA] })).status).toBe(404);
    expect((await remember({ conversationId, project: 'coffee', messages: [TEA] })).status).toBe(400);
    expect(await conversations()).toMatchObject([{ messageCount: 1 }]);
  });

  test('is part of the client', async () => {
    const { createClient } = await import('../../../src/client/client.ts');
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey });
    const { conversationId } = await client.remember({
      user: 'ada',
      messages: [{ role: 'user', content: 'I like tea.' }],
    });
    const [message] = (await client.conversations.messages.list(conversationId)).data;
    await client.conversations.messages.update(conversationId, message!.id, { content: 'I like coffee.' });
    expect(await client.users.get('ada')).toMatchObject({ conversations: 1, messages: 1 });
    await client.conversations.messages.deleteAll(conversationId);
    expect((await client.users.list()).data).toMatchObject([{ user: 'ada', messages: 0 }]);
    await client.users.delete('ada');
    expect((await client.users.list()).data).toEqual([]);
  });
});
