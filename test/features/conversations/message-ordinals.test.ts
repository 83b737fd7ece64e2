import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PortableMessage } from '../../../src/contract/portability.ts';
import { draftsInSteps, isFull, planAppend } from '../../../src/features/conversations/message-append-plan.ts';
import type { ConversationRow } from '../../../src/features/conversations/message-row.ts';
import { messageRowId, ROW_IDS_PER_CONVERSATION } from '../../../src/features/conversations/message-row.ts';
import { passageOf } from '../../../src/features/text/passages.ts';
import { finish } from '../../../src/lib/time-slices.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { conversing } from './conversation-caller.ts';

const append = (count: number) => ({
  tenantId: 'ten_1',
  conversationId: 'conv_1',
  messages: finish(
    draftsInSteps(
      Array.from({ length: count }, (_, index) => ({ role: 'user' as const, content: `message ${index}` })),
      null,
      0,
    ),
  ),
});
const conversation = (lastOrdinal: number, number = 7): ConversationRow => ({
  ...{
    tenantId: 'ten_1',
    id: 'conv_1',
    number,
    scope: 3,
    endUser: 'ann',
    title: null,
    project: null,
    metadata: '{}',
    version: 1,
  },
  ...{
    messageCount: 0,
    lastOrdinal,
    cutThrough: null,
    lastMessageAt: null,
    createdAt: 0,
    updatedAt: 0,
    erasedAt: null,
  },
});

test('neighbors in a conversation have consecutive row ids, and no two messages share one', () => {
  const place = fc.tuple(
    fc.integer({ min: 1, max: 2 ** 30 }),
    fc.integer({ min: 1, max: ROW_IDS_PER_CONVERSATION - 1 }),
  );
  fc.assert(
    fc.property(place, place, ([one, ordinal], [other, place]) => {
      expect(messageRowId(one, ordinal) + 1).toBe(messageRowId(one, ordinal + 1));
      const same = one === other && ordinal === place;
      expect(messageRowId(one, ordinal) === messageRowId(other, place)).toBe(same);
      if (one !== other) expect(passageOf(messageRowId(one, ordinal))).not.toBe(passageOf(messageRowId(other, place)));
      expect(Number.isSafeInteger(messageRowId(one, ordinal))).toBe(true);
    }),
  );
});

test('an append assigns the next ordinals in the order sent until none are left', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: ROW_IDS_PER_CONVERSATION - 1 }),
      fc.integer({ min: 1, max: 5 }),
      (last, count) => {
        const wanted = append(count);
        expect(isFull(wanted, conversation(last))).toBe(last + count > ROW_IDS_PER_CONVERSATION - 1);
        const { rows, conversation: grown } = finish(planAppend(wanted, conversation(last), () => 'msg', 0));
        const steps = planAppend(wanted, conversation(last), () => 'msg', 0);
        expect([...steps]).toHaveLength(count);
        expect(rows.map(({ ordinal }) => ordinal)).toEqual(rows.map((_, index) => last + 1 + index));
        expect(rows.map(({ number }) => number)).toEqual(rows.map(({ ordinal }) => messageRowId(7, ordinal)));
        expect(grown.lastOrdinal).toBe(last + count);
      },
    ),
  );
});

test('an import accepts only ordinals that a conversation can have', () => {
  expect(PortableMessage.properties.ordinal).toMatchObject({ minimum: 1, maximum: ROW_IDS_PER_CONVERSATION - 1 });
});

test('a conversation accepts messages up to its last ordinal, then answers 422', async () => {
  const daemon: MemoryDaemon = await startMemoryDaemon();
  try {
    const caller = await daemon.account();
    const talk = conversing(caller);
    const { id } = await talk.begin();
    await daemon.db.writes.write('daemon', (connection) =>
      connection.run('UPDATE conversations SET lastOrdinal = ? WHERE tenantId = ? AND id = ?', [
        ROW_IDS_PER_CONVERSATION - 2,
        caller.tenantId,
        id,
      ]),
    );
    const more = (contents: string[]) =>
      caller.call(`/v1/conversations/${id}/messages`, {
        body: { messages: contents.map((content) => ({ role: 'user', content })) },
      });
    expect(await more(['one', 'too many'])).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    expect((await more(['the last'])).status).toBe(201);
    expect(await more(['another'])).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    expect((await talk.page(id)).data.map(({ content }) => content)).toEqual(['the last']);
    expect(await caller.find('last')).toEqual(['the last']);
  } finally {
    await daemon.close();
  }
});
