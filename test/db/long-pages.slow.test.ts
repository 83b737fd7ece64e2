import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reader } from '../../src/db/connection.ts';
import { findConversation } from '../../src/features/conversations/conversations-store.ts';
import { listMessages } from '../../src/features/conversations/messages-store.ts';
import { listMemories } from '../../src/features/memories/memory-list-store.ts';
import { conversing } from '../features/conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';

/** More than a portion may hold. */
const ROWS = 64;
/** More than 51 rows, each as long as the longest text, and less than all. */
const MAX_CHARACTERS = 6_000_000;
/** Of few words, which take little time to index. */
const text = (index: number) => `${index} `.padEnd(99_900, '. ');

let daemon: MemoryDaemon;
let caller: Caller;
let conversationId: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  const talk = conversing(caller);
  conversationId = (await talk.begin()).id;
  for (let first = 0; first < ROWS; first += 8) {
    const contents = Array.from({ length: 8 }, (_, index) => text(first + index));
    await talk.say(conversationId, ...contents);
    await caller.addAll(
      contents.map((content, index) => ({
        content,
        ...((first + index) % 3 > 0 && { occurredAt: `2026-01-${10 + ((first + index) % 15)}T10:00:00Z` }),
      })),
    );
  }
}, 120_000);

afterAll(() => daemon.close());

/** A reader that counts the characters of the rows of each statement. */
function counting(): { reader: Reader; characters: number[] } {
  const reader = daemon.db.readers.of(caller.tenantId);
  const characters: number[] = [];
  const all = async (sql: string, values: never[]) => {
    const rows = await reader.all<object>(sql, values);
    characters.push(JSON.stringify(rows).length);
    return rows;
  };
  return { reader: Object.assign(Object.create(reader), { all }) as Reader, characters };
}

test.each(['oldest', 'newest'] as const)('a page of long messages, %s first, is read in portions', async (order) => {
  const { reader, characters } = counting();
  const conversation = (await findConversation(reader, caller.tenantId, conversationId))!;
  const beyond = order === 'oldest' ? 0 : Number.MAX_SAFE_INTEGER;
  const rows = await listMessages(reader, conversation, { order, beyond, limit: 62 });
  const ordinals = Array.from({ length: 62 }, (_, index) => (order === 'oldest' ? index : ROWS - 1 - index));
  expect(rows.map(({ content }) => Number.parseInt(content, 10))).toEqual(ordinals);
  expect(Math.max(...characters)).toBeLessThan(MAX_CHARACTERS);
});

test.each(['createdAt', 'updatedAt', 'occurredAt'] as const)(
  'a page of long memories by %s is read in portions, in the order of short pages',
  async (orderBy) => {
    const filter = { tenantId: caller.tenantId, includeSuperseded: false, nowMs: daemon.clock.nowMs() };
    for (const order of ['asc', 'desc'] as const) {
      const { reader, characters } = counting();
      const ids = async (limit: number) =>
        (await listMemories(reader, filter, { orderBy, order, limit })).map(({ id }) => id);
      const long = await ids(ROWS);
      expect(new Set(long).size).toBe(ROWS);
      expect(Math.max(...characters)).toBeLessThan(MAX_CHARACTERS);
      expect(await ids(20)).toEqual(long.slice(0, 20));
      const { createdAt, updatedAt, occurredAt } = (await caller.read(long[39]!)).body;
      const value = { createdAt, updatedAt, occurredAt }[orderBy];
      const after = { value: value === null ? null : Date.parse(value), id: long[39]! };
      const rest = await listMemories(reader, filter, { orderBy, order, limit: 20, after });
      expect(rest.map(({ id }) => id)).toEqual(long.slice(40, 60));
    }
  },
);

test('a page of short rows of any length takes two statements at most', async () => {
  const { id } = await conversing(caller).begin();
  for (let count = 0; count < 2; count += 1)
    await conversing(caller).say(id, ...Array.from({ length: 100 }, (_, index) => `short ${index}`));
  const { reader, characters } = counting();
  const conversation = (await findConversation(reader, caller.tenantId, id))!;
  expect(await listMessages(reader, conversation, { order: 'oldest', beyond: 0, limit: 200 })).toHaveLength(200);
  expect(characters).toHaveLength(2);
});
