import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/conversations.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable } from '../portability/portable-account.ts';
import { conversing } from './conversation-caller.ts';

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
afterAll(() => daemon.close());

const ASKED = [
  { type: 'text', text: 'What is on this postcard of the funicular?' },
  { type: 'image_url', url: 'https://example.com/postcard.png', detail: 'low' },
];
const CALLED = [
  { type: 'text', text: 'I will look it up.' },
  { type: 'tool_call', id: 'call_1', name: 'find_place', arguments: { near: ['Graz', 8010], exact: true } },
];
const RETURNED = [{ type: 'tool_result', toolCallId: 'call_1', content: [{ name: 'Schlossbergbahn', rating: 4.6 }] }];
const MESSAGES = [
  { role: 'user', content: ASKED },
  { role: 'assistant', content: CALLED },
  { role: 'tool', content: RETURNED },
  { role: 'assistant', content: 'The Schlossbergbahn.' },
];
const contents = MESSAGES.map(({ content }) => content);

describe('content made of parts', () => {
  test('comes back as it was sent, from every route, and strings stay strings', async () => {
    const appended = await talk.append(id, MESSAGES);
    const { data } = await talk.page(id, '?order=oldest');
    expect(appended.map(({ content }) => content)).toEqual(contents);
    expect(data).toEqual(appended);
    for (const message of appended) {
      const read = await caller.call<Message>(`/v1/conversations/${id}/messages/${message.id}`);
      expect(read.body).toEqual(message);
      expect(Object.keys(read.body)).not.toContain('parts');
    }
  });

  test('comes back under the same idempotency key', async () => {
    const headers = { 'idempotency-key': 'parts' };
    expect(await talk.append(id, MESSAGES, headers)).toEqual(await talk.append(id, MESSAGES, headers));
    expect(await talk.read(id)).toMatchObject({ messageCount: 4 });
  });

  test.each<[string, number, string]>([
    ['funicular postcard', 0, 'What is on this postcard of the funicular?\n[image]'],
    ['find_place', 1, 'I will look it up.\nfind_place {"near":["Graz",8010],"exact":true}'],
    ['rating', 2, '[{"name":"Schlossbergbahn","rating":4.6}]'],
  ])('is found by %s, and a result shows its text', async (query, index, content) => {
    const appended = await talk.append(id, MESSAGES);
    const [first] = (await caller.search(query)).body.results;
    expect(first).toMatchObject({ id: appended[index]!.id, type: 'message', content });
    const { body } = await caller.call('/v1/context', { body: { query } });
    expect(body.text).toContain(content.split('\n')[0]!.slice(0, 30));
  });

  test('is not found by the address of an image', async () => {
    await talk.append(id, MESSAGES);
    expect(await caller.find('example.com/postcard.png', { types: ['message'], strategy: 'lexical' })).not.toContain(
      expect.stringContaining('example'),
    );
    expect((await caller.call('/v1/search', { body: { query: 'png' } })).body).toMatchObject({ results: [] });
  });

  test('makes episodes that quote what was said, not the tools that were used', async () => {
    await talk.append(id, [{ role: 'user', content: 'This postcard shows a steep funicular railway.' }, ...MESSAGES]);
    const [episode] = await talk.cut(id);
    expect(episode!.summary).toContain('postcard');
    expect(episode!.summary).not.toContain('{');
    const tools = await talk.begin();
    await talk.append(tools.id, [{ role: 'tool', content: RETURNED }]);
    expect((await talk.cut(tools.id))[0]!.title).toContain('schlossbergbahn');
  });

  test('is restored by an import, while older versions of svc read its text', async () => {
    await talk.append(id, MESSAGES);
    const text = await portable(caller).text();
    const lines = text.split('\n').filter((line) => line.startsWith('{"type":"message"'));
    const exported = lines.map((line) => JSON.parse(line));
    expect(exported.map(({ content }) => typeof content)).toEqual(Array(4).fill('string'));
    expect(exported.map(({ parts }) => parts)).toEqual([ASKED, CALLED, RETURNED, undefined]);
    const other = await daemon.account();
    expect(await portable(other).importFile(text)).toMatchObject({ added: { messages: 4 }, skipped: 0 });
    expect(await portable(other).lines()).toEqual(await portable(caller).lines());
    expect((await conversing(other).page(id, '?order=oldest')).data.map(({ content }) => content)).toEqual(contents);
  });

  test('decides about the text of an imported message', async () => {
    await talk.append(id, [{ role: 'user', content: [{ type: 'text', text: 'true words' }] }]);
    const text = (await portable(caller).text()).replaceAll('"content":"true words"', '"content":"false words"');
    const other = await daemon.account();
    await portable(other).importFile(text);
    expect(await other.find('words')).toEqual(['true words']);
  });
});

describe('content is refused', () => {
  const part = (more: object) => [{ type: 'text', text: 'Hi' }, more];
  test.each<[string, unknown, string]>([
    ['without parts', [], ''],
    ['with a part of an unknown type', part({ type: 'video_url', url: 'https://example.com' }), '/1/type'],
    ['with a part without a type', part({ text: 'Hi' }), '/1/type'],
    ['with a part that is a string', ['Hi'], '/0'],
    ['with a blank text', part({ type: 'text', text: ' ' }), '/1/text'],
    ['with a tool call without arguments', part({ type: 'tool_call', id: 'a', name: 'b' }), '/1/arguments'],
    ['with a tool result of no call', part({ type: 'tool_result', content: '' }), '/1/toolCallId'],
    ['with a relative URL', part({ type: 'image_url', url: 'cat.png' }), '/1/url'],
    ['with an unknown detail', part({ type: 'image_url', url: 'https://a.b/c', detail: 'sharp' }), '/1/detail'],
    ['with an unknown field', part({ type: 'text', text: 'a', cacheControl: {} }), '/1/cacheControl'],
    ['with 257 parts', Array(257).fill({ type: 'text', text: 'a' }), ''],
    ['with 100,001 characters', part({ type: 'text', text: 'x'.repeat(99_999) }), ''],
    ['if it is a number', 7, ''],
    ['if it is blank', ' ', ''],
  ])('%s', async (_, content, path) => {
    const messages = [
      { role: 'user', content: 'before' },
      { role: 'user', content },
    ];
    const answer = await caller.call(`/v1/conversations/${id}/messages`, { body: { messages } });
    expect(answer, answer.text).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path: `/messages/1/content${path}` }] },
    });
    expect(await talk.read(id)).toMatchObject({ messageCount: 0 });
  });
});
