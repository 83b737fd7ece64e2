import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { ContextAnswer } from '../../../src/contract/search.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { portable } from '../portability/portable-account.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
});
afterAll(() => daemon.close());

async function callTool(name: string, args: object): Promise<string> {
  const { body, text } = await caller.call<{ result: { content: [{ text: string }] } }>('/v1/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  });
  expect(body.result?.content, text).toBeDefined();
  return body.result.content[0].text;
}

/** The origin of each memory of the account, by content. */
async function origins(by = caller): Promise<Record<string, string | null>> {
  const { body } = await by.call<{ data: Memory[] }>('/v1/memories?limit=200');
  return Object.fromEntries(body.data.map(({ content, origin }) => [content, origin]));
}

describe('a memory knows who said it', () => {
  test('as its writer states it, and else nobody', async () => {
    await caller.add('By hand', { origin: 'person' });
    await caller.addAll([{ content: 'Of a page', origin: 'tool' }, { content: 'Of a program' }]);
    expect(await origins()).toEqual({ 'By hand': 'person', 'Of a page': 'tool', 'Of a program': null });
    expect((await caller.call('/v1/memories', { body: { content: 'One', origin: 'god' } })).status).toBe(400);
  });

  test('an assistant, whatever it claims over MCP, also of a memory whose text it changes', async () => {
    const { id } = await caller.add('Ada prefers tea', { origin: 'person' });
    await callTool('memory_update', { id, tags: ['taste'] });
    expect(await origins()).toEqual({ 'Ada prefers tea': 'person' });
    await callTool('memory_update', { id, content: 'Ada prefers coffee' });
    await callTool('memory_add', { content: 'Ada lives in Graz' });
    expect(await origins()).toEqual({ 'Ada prefers coffee': 'assistant', 'Ada lives in Graz': 'assistant' });
    await callTool('memory_add', { content: 'Ada owns a bicycle', origin: 'person' });
    expect((await origins())['Ada owns a bicycle'] ?? 'assistant').toBe('assistant');
  });

  test('until its text changes without saying who did', async () => {
    const { id } = await caller.add('Ada prefers tea', { origin: 'person' });
    const change = async (body: object) => (await caller.change(id, { ...body })).body.origin;
    expect(await change({ content: 'Ada prefers tea', pinned: true })).toBe('person');
    expect(await change({ content: 'Ada prefers coffee' })).toBeNull();
    expect(await change({ content: 'Ada prefers water', origin: 'person' })).toBe('person');
    expect(await change({ origin: null })).toBeNull();
    const { data } = (await caller.history(id)).body;
    expect(data.map(({ origin }) => origin)).toEqual([null, 'person', null, 'person', 'person']);
  });

  test('through duplicates, which do not change who said it first', async () => {
    await caller.add('Ada prefers tea', { origin: 'tool' });
    await caller.add('Ada prefers tea', { origin: 'person', tags: ['taste'] });
    expect(await origins()).toEqual({ 'Ada prefers tea': 'tool' });
  });

  test('through an export; what is imported from elsewhere is an import', async () => {
    await caller.add('Exported', { origin: 'person' });
    const other = await daemon.account();
    await portable(other).importFile(await portable(caller).text());
    await portable(other).importFile([{ content: 'Without a type' }]);
    expect(await origins(other)).toEqual({ Exported: 'person', 'Without a type': 'import' });
  });
});

describe('what a tool said', () => {
  const STARTS = { purpose: 'session_start', query: 'tea' };
  const PROMPTS = { purpose: 'prompt', query: 'On which port does the kettle listen?' };

  test.each<[string, object]>([
    ['the start of a session', STARTS],
    ['a prompt', PROMPTS],
  ])('takes the place of nothing that others said in %s, but theirs of it', async (_, body) => {
    const context = async () => (await caller.call<ContextAnswer>('/v1/context', { body })).body.text;
    await caller.add('The kettle listens on port 4417', { origin: 'person' });
    await caller.add('The kettle listens on port 9999', { origin: 'tool' });
    expect(await context()).toContain('port 4417');
    await caller.add('The kettle listens on port 5528', { origin: 'person' });
    expect(await context()).toContain('port 5528');
    expect(await context()).not.toMatch(/4417|9999/);
  });

  test('is not put before what others said in searches', async () => {
    await caller.add('The kettle port is 4417', { origin: 'person' });
    const { id } = await caller.add('Since the update of last week the port of the kettle is 9999', { origin: 'tool' });
    const found = async () => (await caller.find('kettle port')).map((content) => content.slice(-4));
    expect(await found()).toEqual(['4417', '9999']);
    // Control: what an assistant said is.
    await caller.change(id, { origin: 'assistant' });
    expect(await found()).toEqual(['9999', '4417']);
  });
});

describe('who said it stands beside what is recalled', () => {
  beforeEach(async () => {
    await caller.add('The kettle service listens on port 4417', { origin: 'person', project: 'tea' });
    await caller.add('Logs of the kettle must be deleted', { origin: 'tool', project: 'tea' });
    await caller.add('Ada restarts the kettle at noon', { origin: 'assistant', project: 'tea' });
    const chat = conversing(caller);
    await chat.say((await chat.begin()).id, 'The kettle belongs to Berta');
  });

  test('in results of searches, of messages by their role', async () => {
    const { results } = (await caller.search('kettle')).body;
    const found = results.map(({ content, origin }) => [content, origin]);
    expect(Object.fromEntries(found)).toEqual({
      'The kettle service listens on port 4417': 'person',
      'Logs of the kettle must be deleted': 'tool',
      'Ada restarts the kettle at noon': 'assistant',
      'The kettle belongs to Berta': 'person',
    });
  });

  test.each([
    ['a question', { query: 'kettle' }],
    [
      'a prompt',
      { query: 'Which port does the kettle service use, and when does Ada restart the kettle?', purpose: 'prompt' },
    ],
    ['the start of a session', { query: 'tea', project: 'tea', purpose: 'session_start' }],
  ])('in contexts for %s', async (_, body) => {
    const { text } = (await caller.call<ContextAnswer>('/v1/context', { body })).body;
    const lines = text.split('\n');
    const lineWith = (words: string) => lines.find((line) => line.includes(words));
    expect(lineWith('port 4417'), text).not.toMatch(/tool|assistant/);
    expect(lineWith('restarts the kettle at noon'), text).toMatch(/\(.*assistant\)/);
    for (const line of lines) if (line.includes('must be deleted')) expect(line).toMatch(/\(.*tool\)/);
  });

  test('in results of MCP tools and in the profile', async () => {
    expect(await callTool('memory_search', { query: 'kettle deleted', types: ['memory'] })).toMatch(
      /origin tool\)\n> Logs of the kettle must be deleted/,
    );
    const { text } = (await caller.call<{ text: string }>('/v1/profile')).body;
    expect(text).toMatch(/Logs of the kettle must be deleted \([\d-]+, tool\)/);
    expect(text).toMatch(/port 4417 \([\d-]+\)/);
  });
});
