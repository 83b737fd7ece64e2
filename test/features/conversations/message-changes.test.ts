import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/conversations.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { expectIndexEqualsRows } from '../text/index-rows.ts';
import { conversing, SPAN } from './conversation-caller.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let talk: ReturnType<typeof conversing>;
let id: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
  talk = conversing(caller);
  id = (await talk.begin()).id;
});
afterAll(async () => {
  await expectIndexEqualsRows(daemon);
  await daemon.close();
});

const messagesAt = () => `/v1/conversations/${id}/messages`;
const change = (messageId: string, body: object, headers: Record<string, string> = {}) =>
  caller.call<Message>(`${messagesAt()}/${messageId}`, { method: 'PATCH', body, headers });
const found = async (query: string) => caller.find(query, { types: ['message'] });

describe('a changed message', () => {
  test('has the new content, name and metadata, and is otherwise the same', async () => {
    const [message] = await talk.append(id, [
      {
        role: 'user',
        name: 'Ada',
        content: 'I like oolong.',
        metadata: { a: 1 },
        createdAt: '2020-01-01T00:00:00.000Z',
      },
    ]);
    const parts = [{ type: 'text', text: 'I like sencha.' }];
    const all = { content: parts, name: null, metadata: { b: 2 } };
    const changed = await change(message!.id, all);
    expect(changed).toMatchObject({ status: 200, body: { ...message, ...all } });
    const read = await caller.call(`${messagesAt()}/${message!.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([changed.body, changed.headers.get('etag')]);
    expect((await change(message!.id, { content: 'I like sencha.' })).body).toEqual({
      ...changed.body,
      content: 'I like sencha.',
    });
    expect((await change(message!.id, { name: 'Bob' })).body).toMatchObject({ content: 'I like sencha.', name: 'Bob' });
  });

  test('is found by its new words, and no longer by the old ones', async () => {
    const [message] = await talk.append(id, [{ role: 'user', name: 'Zenobia', content: 'The heron landed.' }]);
    await change(message!.id, { content: 'The bittern landed.', name: 'Ludmilla' });
    expect(await found('bittern')).toEqual(['The bittern landed.']);
    expect(await found('heron')).toEqual([]);
  });

  test('raises the version of its conversation; a change without effect does not', async () => {
    const [message] = await talk.say(id, 'The heron landed.');
    const { version } = await talk.read(id);
    const same = await change(message!.id, { content: 'The heron landed.', metadata: {}, name: null });
    expect(same.body).toEqual(message);
    expect((await talk.read(id)).version).toBe(version);
    await change(message!.id, { metadata: { seen: true } });
    expect(await talk.read(id)).toMatchObject({ version: version + 1, messageCount: 1 });
  });

  test('is changed only if it is unchanged since it was read', async () => {
    const [message] = await talk.say(id, 'One');
    const etag = (await caller.call(`${messagesAt()}/${message!.id}`)).headers.get('etag')!;
    expect((await change(message!.id, { content: 'Two' }, { 'if-match': etag })).status).toBe(200);
    const late = await change(message!.id, { content: 'Three' }, { 'if-match': etag });
    expect(late).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
    expect((await caller.call(`${messagesAt()}/${message!.id}`)).body).toMatchObject({ content: 'Two' });
  });

  test('does not come back in its old form under the idempotency key that stored it', async () => {
    const headers = { 'idempotency-key': 'quoting' };
    const request = { body: { messages: [{ role: 'user', content: 'The heron landed.' }] }, headers };
    const [message] = (await caller.call<{ data: Message[] }>(messagesAt(), request)).body.data;
    await change(message!.id, { content: 'The bittern landed.' });
    const again = await caller.call(messagesAt(), request);
    expect(again).toMatchObject({ status: 410, body: { code: 'gone' } });
    expect(again.text).not.toContain('heron');
  });

  test('is quoted by the episode that was cut from it in its new form', async () => {
    const [first] = await talk.say(
      id,
      'The heron landed beside the quiet pond.',
      'Nobody else noticed the heron there.',
    );
    const [before] = await talk.cut(id);
    expect(before!.summary).toContain('heron landed');
    await change(first!.id, { content: 'The bittern landed beside the quiet pond.' });
    const after = await talk.readEpisode(before!.id);
    expect(after.summary).toContain('bittern landed');
    expect(after.version).toBe(before!.version + 1);
  });

  test.each<[string, object, string]>([
    ['no field', {}, '/'],
    ['another role', { role: 'system' }, '/role'],
    ['another time', { createdAt: '2020-01-01T00:00:00Z' }, '/createdAt'],
    ['blank content', { content: ' ' }, '/content'],
    ['no content', { content: null }, '/content'],
    ['parts of an unknown type', { content: [{ type: 'audio' }] }, '/content/0/type'],
    ['metadata of 17 KiB', { metadata: { a: 'x'.repeat(17_000) } }, '/metadata'],
  ])('cannot be given %s', async (_, body, path) => {
    const [message] = await talk.say(id, 'One');
    expect(await change(message!.id, body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });

  test('is not found in another conversation', async () => {
    const [message] = await talk.say(id, 'One');
    id = (await talk.begin()).id;
    expect((await change(message!.id, { content: 'Two' })).status).toBe(404);
  });
});

describe('erasing all messages of a conversation', () => {
  const eraseAll = (headers: Record<string, string> = {}) => caller.call(messagesAt(), { method: 'DELETE', headers });
  const many = Array.from({ length: 450 }, (_, index) => `Heron number ${index} landed.`);

  test('leaves the conversation without messages, and later ones get new ordinals', async () => {
    await talk.say(id, ...many);
    const { version, title } = await talk.read(id);
    expect((await eraseAll()).status).toBe(204);
    const emptied = await talk.read(id);
    expect(emptied).toMatchObject({ messageCount: 0, lastMessageAt: null, title });
    expect(emptied.version).toBeGreaterThan(version);
    expect((await talk.page(id)).data).toEqual([]);
    expect(await found('heron')).toEqual([]);
    expect((await talk.say(id, 'A new start')).map(({ ordinal }) => ordinal)).toEqual([451]);
    expect(await talk.read(id)).toMatchObject({ messageCount: 1 });
  });

  test('leaves no episode cut from them, and written ones without their span', async () => {
    const said = await talk.say(id, ...many.slice(0, 250));
    expect((await talk.cut(id)).length).toBeGreaterThan(0);
    const span = { conversationId: id, fromMessageId: said[2]!.id, toMessageId: said[240]!.id };
    const written = await talk.episode({ title: 'Herons', ...SPAN, ...span });
    await eraseAll();
    expect((await talk.episodes(`?conversationId=${id}`)).map((episode) => episode.id)).toEqual([written.id]);
    expect(await talk.readEpisode(written.id)).toMatchObject({
      conversationId: id,
      fromMessageId: null,
      toMessageId: null,
    });
    expect(await found('heron')).toEqual([]);
  });

  test('redacts the stored answers that quote them, but not the one that created the conversation', async () => {
    const begin = () => caller.call('/v1/conversations', { body: {}, headers: { 'idempotency-key': 'begin' } });
    id = (await begin()).body.id as string;
    const append = () =>
      caller.call(messagesAt(), {
        body: { messages: [{ role: 'user', content: 'The heron landed.' }] },
        headers: { 'idempotency-key': 'append' },
      });
    await append();
    await eraseAll();
    expect((await append()).status).toBe(410);
    expect((await begin()).status).toBe(201);
  });

  test('happens only if the conversation is unchanged since it was read', async () => {
    const etag = (await caller.call(`/v1/conversations/${id}`)).headers.get('etag')!;
    await talk.say(id, 'One');
    expect((await eraseAll({ 'if-match': etag })).status).toBe(412);
    expect(await talk.read(id)).toMatchObject({ messageCount: 1 });
    const now = (await caller.call(`/v1/conversations/${id}`)).headers.get('etag')!;
    expect((await eraseAll({ 'if-match': now })).status).toBe(204);
  });

  test('erases none that are appended meanwhile', async () => {
    await talk.say(id, ...many);
    const erasing = eraseAll();
    const late = await Promise.all(Array.from({ length: 5 }, (_, index) => talk.say(id, `Late ${index}`)));
    expect((await erasing).status).toBe(204);
    const ordinals = late.flat().map(({ ordinal }) => ordinal);
    const left = (await talk.page(id, '?order=oldest')).data;
    expect(left.every(({ content }) => String(content).startsWith('Late'))).toBe(true);
    expect(await talk.read(id)).toMatchObject({ messageCount: left.length });
    expect(Math.max(...ordinals)).toBe(455);
  });
});
