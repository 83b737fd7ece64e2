import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Episode } from '../../../src/contract/episodes.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let talk: ReturnType<typeof conversing>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
  talk = conversing(caller);
});
afterAll(() => daemon.close());

const at = (id: string) => `/v1/episodes/${id}`;

describe('a written episode', () => {
  test('is stored as written and readable at its URL', async () => {
    const { id } = await talk.begin({ user: 'ann' });
    const [from, , to] = await talk.say(id, 'one', 'two', 'three');
    const span = { conversationId: id, fromMessageId: from!.id, toMessageId: to!.id };
    const body = { title: 'T', summary: 'S', outcome: 'O', memoryIds: ['mem_1'], metadata: { a: 1 }, ...span, ...SPAN };
    const answer = await caller.call<Episode>('/v1/episodes', { body });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({ ...body, user: 'ann', cut: false, version: 1 });
    const read = await caller.call(answer.headers.get('location')!);
    expect([read.body, read.headers.get('etag')]).toEqual([answer.body, answer.headers.get('etag')]);
    expect(await talk.episodes(`?conversationId=${id}`)).toEqual([answer.body]);
  });

  test('changes and is erased only if it is unchanged since it was read', async () => {
    const { id } = await talk.episode({ title: 'T', summary: 'S', ...SPAN });
    const etag = (await caller.call(at(id))).headers.get('etag')!;
    const call = (method: string, ifMatch: string, body?: object) =>
      caller.call(at(id), { method, headers: { 'if-match': ifMatch }, ...(body && { body }) });
    const changed = await call('PATCH', etag, { summary: null, outcome: 'Done' });
    expect(changed.body).toMatchObject({ title: 'T', summary: null, outcome: 'Done', version: 2 });
    expect((await call('PATCH', etag, { title: 'Late' })).status).toBe(412);
    expect((await call('DELETE', etag)).status).toBe(412);
    expect((await call('DELETE', changed.headers.get('etag')!)).status).toBe(204);
    expect((await caller.call(at(id))).status).toBe(404);
  });

  test.each<[string, object, number]>([
    ['that ends before it starts', { startedAt: SPAN.endedAt, endedAt: SPAN.startedAt }, 400],
    ['with one end of a span', { conversationId: 'CONV', fromMessageId: 'LAST' }, 400],
    ['with messages of no conversation', { fromMessageId: 'FIRST', toMessageId: 'LAST' }, 400],
    [
      'with the ends of its span the wrong way round',
      { conversationId: 'CONV', fromMessageId: 'LAST', toMessageId: 'FIRST' },
      400,
    ],
    ['of a conversation that is not there', { conversationId: 'conv_0' }, 404],
    ['with a message that is not there', { conversationId: 'CONV', fromMessageId: 'FIRST', toMessageId: 'msg_0' }, 404],
    ['with both ends in order', { conversationId: 'CONV', fromMessageId: 'FIRST', toMessageId: 'LAST' }, 201],
  ])('%s is answered as it deserves', async (_, body, status) => {
    const { id } = await talk.begin();
    const [first, last] = await talk.say(id, 'one', 'two');
    const named = JSON.stringify({ title: 'T', ...SPAN, ...body })
      .replace('CONV', id)
      .replace('FIRST', first!.id)
      .replace('LAST', last!.id);
    expect((await caller.call('/v1/episodes', { body: JSON.parse(named) })).status).toBe(status);
    expect(await talk.episodes()).toHaveLength(status === 201 ? 1 : 0);
  });

  test('keeps its text when its messages are erased, and refers to none of them', async () => {
    const { id } = await talk.begin();
    const said = await talk.say(id, 'one', 'two', 'three');
    const span = { conversationId: id, fromMessageId: said[0]!.id, toMessageId: said[2]!.id };
    const episode = await talk.episode({ title: 'T', ...span, ...SPAN });
    await talk.erase(`conversations/${id}/messages/${said[0]!.id}`);
    expect(await talk.readEpisode(episode.id)).toMatchObject({ fromMessageId: said[1]!.id, toMessageId: said[2]!.id });
    await talk.erase(`conversations/${id}/messages/${said[2]!.id}`);
    await talk.erase(`conversations/${id}/messages/${said[1]!.id}`);
    expect(await talk.readEpisode(episode.id)).toMatchObject({ title: 'T', fromMessageId: null, toMessageId: null });
    await talk.erase(`conversations/${id}`);
    expect(await talk.readEpisode(episode.id)).toMatchObject({ title: 'T', conversationId: null, ...SPAN });
  });
});
