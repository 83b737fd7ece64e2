import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

/** Folding expands each of these to eighteen characters. */
const EXPANDING = 'ﷺ '.repeat(3000);
const START = { startedAt: '2026-05-01T00:00:00Z', endedAt: '2026-05-02T00:00:00Z' };

let daemon: MemoryDaemon;
let ada: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  ada = await daemon.account();
});

afterAll(() => daemon.close());

interface Written {
  id: string;
  partlyIndexed?: true;
}

describe('an answer says that a text is indexed only in part', () => {
  test('for a new memory, which is found by its beginning alone', async () => {
    const answer = await ada.call<Written>('/v1/memories', { body: { content: `kayak ${EXPANDING} violin` } });
    expect(answer).toMatchObject({ status: 201, body: { partlyIndexed: true } });
    expect((await ada.search('kayak')).body.results).toMatchObject([{ id: answer.body.id }]);
    expect((await ada.search('violin')).body.results).toEqual([]);
    expect((await ada.read(answer.body.id)).body).not.toHaveProperty('partlyIndexed');
  });

  test('for the one item of a batch that it applies to', async () => {
    const memories = [{ content: 'a plain one' }, { content: `batched ${EXPANDING}` }];
    const answer = await ada.call<{ data: Written[] }>('/v1/memories/batch', { body: { memories } });
    expect(answer.body.data.map(({ partlyIndexed }) => partlyIndexed)).toEqual([undefined, true]);
  });

  test('for a changed memory, until a change makes it shorter', async () => {
    const { id } = await ada.add('a short one');
    expect((await ada.change(id, { content: `changed ${EXPANDING}` })).body).toMatchObject({ partlyIndexed: true });
    expect((await ada.change(id, { tags: ['long'] })).body).toMatchObject({ partlyIndexed: true });
    expect((await ada.change(id, { tags: ['long'] })).body).toMatchObject({ version: 3, partlyIndexed: true });
    expect((await ada.change(id, { content: 'short again' })).body).not.toHaveProperty('partlyIndexed');
  });

  test('for an appended message', async () => {
    const { body } = await ada.call<{ id: string }>('/v1/conversations', { body: {} });
    const messages = [EXPANDING, 'hello'].map((content) => ({ role: 'user', content }));
    const answer = await ada.call<{ data: Written[] }>(`/v1/conversations/${body.id}/messages`, { body: { messages } });
    expect(answer.body.data.map(({ partlyIndexed }) => partlyIndexed)).toEqual([true, undefined]);
  });

  test('for a changed message, whose ETag equals that of a later read', async () => {
    const { body } = await ada.call<{ id: string }>('/v1/conversations', { body: {} });
    const at = `/v1/conversations/${body.id}/messages`;
    const messages = [{ role: 'user', content: 'hello' }];
    const [appended] = (await ada.call<{ data: Written[] }>(at, { body: { messages } })).body.data;
    const content = `changed ${EXPANDING}`;
    const changed = await ada.call<Written>(`${at}/${appended!.id}`, { method: 'PATCH', body: { content } });
    expect(changed.body).toMatchObject({ partlyIndexed: true });
    const read = await ada.call<Written>(`${at}/${appended!.id}`);
    expect(read.body).not.toHaveProperty('partlyIndexed');
    expect(changed.headers.get('etag')).toBe(read.headers.get('etag'));
  });

  test('for a new and for a changed episode', async () => {
    const body = { title: 'a title', summary: EXPANDING, ...START };
    const { body: episode } = await ada.call<Written>('/v1/episodes', { body });
    expect(episode).toMatchObject({ partlyIndexed: true });
    const at = `/v1/episodes/${episode.id}`;
    const change = (summary: string) => ada.call<Written>(at, { method: 'PATCH', body: { summary } });
    expect((await change('short')).body).not.toHaveProperty('partlyIndexed');
    expect((await change(`long ${EXPANDING}`)).body).toMatchObject({ partlyIndexed: true });
  });

  test('again when the answer is replayed', async () => {
    const headers = { 'idempotency-key': 'expanding' };
    const add = () => ada.call<Written>('/v1/memories', { body: { content: `replayed ${EXPANDING}` }, headers });
    expect((await add()).body).toMatchObject({ partlyIndexed: true });
    expect((await add()).body).toMatchObject({ partlyIndexed: true });
  });

  test('to an assistant, in a sentence', async () => {
    const callTool = async (name: string, args: object) => {
      const params = { name, arguments: args };
      const headers = { accept: 'application/json, text/event-stream' };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return (await ada.call('/v1/mcp', { body, headers })).text;
    };
    const sentence = /search covers only the beginning/;
    expect(await callTool('memory_add', { content: `told ${EXPANDING}` })).toMatch(sentence);
    expect(await callTool('memory_add', { content: 'told in short' })).not.toMatch(sentence);
    const messages = [{ role: 'user', content: EXPANDING }];
    expect(await callTool('conversation_append', { messages })).toMatch(sentence);
  });
});
