import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/conversations.ts';
import { traces } from '../../helpers/tables.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

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

const HOUR_MS = 3_600_000;

/** Creates messages one minute apart, starting at an hour of 2026. */
function stretch(hour: number, count: number, topic = 'kayak'): object[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: `The ${topic} number ${index} lies beside the ${topic} shed`,
    createdAt: instant(Date.UTC(2026, 0, 1) + hour * HOUR_MS + index * 60_000),
  }));
}

const change = (message: Message, content: string) =>
  caller.call(`/v1/conversations/${id}/messages/${message.id}`, { method: 'PATCH', body: { content } });
const eraseMessage = (message: Message) => talk.erase(`conversations/${id}/messages/${message.id}`);

describe('cutting a conversation', () => {
  test('ends an episode at a long pause', async () => {
    const said = await talk.append(id, [...stretch(0, 5), ...stretch(3, 4), ...stretch(9, 3)]);
    const cuts = await talk.cut(id);
    expect(cuts.map(({ fromMessageId, toMessageId }) => [fromMessageId, toMessageId])).toEqual([
      [said[0]!.id, said[4]!.id],
      [said[5]!.id, said[8]!.id],
      [said[9]!.id, said[11]!.id],
    ]);
    expect(cuts[0]).toMatchObject({
      cut: true,
      conversationId: id,
      startedAt: said[0]!.createdAt,
      endedAt: said[4]!.createdAt,
    });
    expect(cuts[0]!.title).toContain('kayak');
    expect(cuts[0]!.summary).toContain('kayak');
  });

  test('summarizes what a tool or an assistant said as theirs, whatever name they have', async () => {
    const said = ['user', 'assistant', 'tool'].map((role) => ({
      role,
      name: 'Ada',
      content: `The ${role} wants a kayak.`,
    }));
    await talk.append(id, said);
    const [cut] = await talk.cut(id);
    expect(cut!.summary).toBe(
      'Ada: The user wants a kayak. Ada (assistant): The assistant wants a kayak. a tool: The tool wants a kayak.',
    );
  });

  test('describes many long messages by their beginnings', async () => {
    const content = `The kayak lies beside the shed. ${'It is dry there. '.repeat(60)}A zebra and a zebra watch.`;
    const said = stretch(0, 300).map((message) => ({ ...message, content }));
    await talk.append(id, said);
    const [cut] = await talk.cut(id);
    expect(cut!.title).toContain('kayak');
    expect(`${cut!.title} ${cut!.summary}`).not.toContain('zebra');
  });

  test('ends an episode where the topic changes', async () => {
    const said = await talk.append(id, [...stretch(0, 20, 'kayak'), ...stretch(0, 20, 'mortgage')]);
    const cuts = await talk.cut(id);
    expect(cuts.map(({ fromMessageId }) => fromMessageId)).toEqual([said[0]!.id, said[20]!.id]);
  });

  test('again changes only the last cut; settled ones keep their id and version', async () => {
    await talk.append(id, [...stretch(0, 5), ...stretch(3, 5)]);
    const before = await talk.cut(id);
    expect(await talk.cut(id)).toEqual(before);
    const [last] = await talk.append(id, [...stretch(3, 1), ...stretch(9, 2)]);
    await daemon.episodes.follow();
    const after = await talk.cut(id);
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).toMatchObject({
      id: before[1]!.id,
      fromMessageId: before[1]!.fromMessageId,
      toMessageId: last!.id,
      version: 2,
    });
    expect(after).toHaveLength(3);
  });

  test('continues with appended messages only if it was requested before', async () => {
    const other = await talk.begin();
    await talk.append(id, stretch(0, 5));
    await talk.cut(id);
    await talk.append(id, stretch(9, 5));
    await talk.append(other.id, stretch(0, 5));
    await daemon.episodes.follow();
    expect(await talk.episodes(`?conversationId=${id}`)).toHaveLength(2);
    expect(await talk.episodes(`?conversationId=${other.id}`)).toEqual([]);
  });

  test('continues for each tenant, however many conversations of another grow', async () => {
    const busy = await Promise.all(Array.from({ length: 25 }, () => talk.begin()));
    for (const one of busy) await talk.cut(one.id);
    const others = await Promise.all([daemon.account(), daemon.account()]);
    const begun = await Promise.all(
      others.map(async (other) => {
        const quiet = conversing(other);
        const conversation = await quiet.begin();
        await quiet.cut(conversation.id);
        await quiet.append(conversation.id, stretch(0, 5));
        return quiet;
      }),
    );
    await Promise.all(busy.map((one) => talk.append(one.id, stretch(0, 5))));
    await daemon.episodes.follow();
    for (const quiet of begun) expect(await quiet.episodes()).toHaveLength(1);
    expect(await talk.episodes('?limit=200')).not.toHaveLength(0);
    for (let pass = 0; pass < 4; pass += 1) await daemon.episodes.follow();
    expect(await talk.episodes('?limit=200')).toHaveLength(busy.length);
  });

  test('preserves an edited title and summary and updates the rest', async () => {
    await talk.append(id, stretch(0, 5));
    const [cut] = await talk.cut(id);
    const change = (body: object) => caller.call(`/v1/episodes/${cut!.id}`, { method: 'PATCH', body });
    expect((await change({ title: 'My words' })).status).toBe(200);
    expect(await change({ endedAt: '2030-01-01T00:00:00Z' })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    await talk.append(id, stretch(0, 5, 'mortgage'));
    const [again] = await talk.cut(id);
    expect(again).toMatchObject({ id: cut!.id, title: 'My words' });
    expect(again!.toMessageId).not.toBe(cut!.toMessageId);
    expect(again!.summary).not.toBe(cut!.summary);
  });

  test('is updated when a message is erased: no episode contains or refers to it', async () => {
    const said = await talk.append(id, [
      { role: 'user', content: 'The walrus sleeps on the ice all day', createdAt: '2026-01-01T00:00:00Z' },
      { role: 'user', content: 'The heron stands in the river all day', createdAt: '2026-01-01T00:01:00Z' },
    ]);
    const [cut] = await talk.cut(id);
    expect(cut!.summary).toContain('walrus');
    expect(await caller.find('walrus', { types: ['episode'] })).toHaveLength(1);
    await eraseMessage(said[0]!);
    const kept = await talk.readEpisode(cut!.id);
    expect(kept).toMatchObject({ fromMessageId: said[1]!.id, startedAt: said[1]!.createdAt });
    expect(JSON.stringify(kept)).not.toContain('walrus');
    expect(await caller.find('walrus', { types: ['episode'] })).toEqual([]);
    await eraseMessage(said[1]!);
    expect((await caller.call(`/v1/episodes/${cut!.id}`)).status).toBe(404);
  });

  test('does not restore erased cuts unless all were erased', async () => {
    await talk.append(id, [...stretch(0, 3), ...stretch(5, 3), ...stretch(10, 3)]);
    const cuts = await talk.cut(id);
    await talk.erase(`episodes/${cuts[2]!.id}`);
    await talk.append(id, stretch(15, 3));
    const again = await talk.cut(id);
    expect(again.slice(0, 2)).toEqual(cuts.slice(0, 2));
    expect(again).toHaveLength(3);
    for (const episode of again) await talk.erase(`episodes/${episode.id}`);
    await daemon.episodes.follow();
    expect(await talk.episodes()).toEqual([]);
    expect(await talk.cut(id)).toHaveLength(4);
  });

  test('is erased with the conversation', async () => {
    await talk.append(id, stretch(0, 5));
    const [cut] = await talk.cut(id);
    await talk.erase(`conversations/${id}`);
    expect((await caller.call(`/v1/episodes/${cut!.id}`)).status).toBe(404);
    expect(await caller.find('kayak')).toEqual([]);
  });

  test('gives the same answer for the same idempotency key', async () => {
    await talk.append(id, stretch(0, 5));
    const cut = () =>
      caller.call(`/v1/conversations/${id}/episodes`, { method: 'POST', headers: { 'idempotency-key': 'k' } });
    const first = await cut();
    await talk.append(id, stretch(9, 5));
    const again = await cut();
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
  });

  test.each(['erased', 'changed'])(
    'does not repeat the words of a message that was %s, for an idempotency key',
    async (way) => {
      const [narwhal] = await talk.say(
        id,
        'The narwhal sleeps on the ice all day',
        'The heron stands in the river all day',
      );
      const headers = { 'idempotency-key': `cut ${way}` };
      const cut = () => caller.call(`/v1/conversations/${id}/episodes`, { method: 'POST', headers });
      expect((await cut()).text).toContain('narwhal');
      if (way === 'erased') await eraseMessage(narwhal!);
      else await change(narwhal!, 'The otter swims');
      expect(await cut()).toMatchObject({ status: 410, body: { code: 'gone' } });
      expect(await traces(daemon.db.readers, ['narwhal'])).toEqual({});
    },
  );
});
