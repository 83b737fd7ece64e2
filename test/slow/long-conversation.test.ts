import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Value } from '../../src/db/connection.ts';
import * as conversations from '../../src/features/conversations/conversations-store.ts';
import * as messages from '../../src/features/conversations/messages-store.ts';
import * as episodes from '../../src/features/episodes/episodes-store.ts';
import { conversing } from '../features/conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let connection: Connection;
let id: string;

const MESSAGES = 100_000;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  id = (await conversing(caller).begin()).id;
  const principal = { tenantId: caller.tenantId } as Parameters<typeof daemon.conversations.appendOnce>[0];
  for (let from = 0; from < MESSAGES; from += 500) {
    const batch = Array.from({ length: 500 }, (_, index) => ({
      role: 'user' as const,
      content: `word ${from + index}`,
    }));
    await daemon.conversations.appendOnce(principal, id, batch, undefined);
  }
  connection = await openConnection(join(daemon.folder, 'svc.db'));
}, 120_000);
afterAll(async () => {
  await connection.close();
  await daemon.close();
});

/** The query plans of the statements that `work` would run; none is executed. */
async function plansOf(work: (on: Connection) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explain = async (sql: string, values: readonly Value[] = []) => {
    const lines = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    plans.push(...lines.map(({ detail }) => detail));
  };
  await work({
    ...connection,
    all: async (sql, values) => explain(sql, values).then(() => []),
    get: async (sql, values) => explain(sql, values).then(() => undefined),
    run: async (sql, values) => explain(sql, values).then(() => ({ changes: 0 })),
  });
  return plans;
}

test('a conversation of 100,000 messages is paged from both ends and from its middle', async () => {
  const talk = conversing(caller);
  const ends = async (query: string) => (await talk.page(id, query)).data.map(({ ordinal }) => ordinal);
  expect(await ends('?limit=2')).toEqual([MESSAGES, MESSAGES - 1]);
  expect(await ends('?limit=2&order=oldest')).toEqual([1, 2]);
  const [appended] = await talk.say(id, 'one more');
  expect(appended!.ordinal).toBe(MESSAGES + 1);
  expect((await caller.find('"99999"'))[0]).toBe('word 99999');
});

test.each<
  [string, (on: Connection, place: { tenantId: string; conversationId: string; number: number }) => Promise<unknown>]
>([
  ['a page', (on, place) => messages.listMessages(on, place, { order: 'newest', beyond: 50_000, limit: 51 })],
  [
    'a page, oldest first',
    (on, place) => messages.listMessages(on, place, { order: 'oldest', beyond: 50_000, limit: 51 }),
  ],
  ['the newest message', (on, place) => messages.findNewest(on, place)],
  ['one message', (on, place) => messages.findMessage(on, place, 'msg_1')],
  ['what an append reads', (on, { tenantId }) => conversations.findConversations(on, [{ tenantId, id }])],
  ['the last cut', (on, { tenantId }) => episodes.findCutBefore(on, tenantId, id)],
  ['the cut before a message', (on, { tenantId }) => episodes.findCutBefore(on, tenantId, id, 50_000)],
  ['the first cuts', (on, { tenantId }) => episodes.listCuts(on, tenantId, id, 500)],
  ['conversations that grew', (on) => conversations.listUncut(on, 20)],
  ['half-erased conversations', (on) => conversations.listHalfErased(on, 20)],
])('%s: read through an index, without sorting', async (_, work) => {
  const plans = await plansOf((on) => work(on, { tenantId: caller.tenantId, conversationId: id, number: 1 }));
  expect(plans.length).toBeGreaterThan(0);
  expect(plans.filter((line) => /TEMP B-TREE|^SCAN (?!\d+-ROW|CONSTANT|conversations USING INDEX)/.test(line))).toEqual(
    [],
  );
});

test('a long conversation is cut in windows, each its own transaction, so that other writes run in between', {
  timeout: 120_000,
}, async () => {
  const talk = conversing(caller);
  const cutting = talk.cut(id);
  let done = false;
  cutting.finally(() => {
    done = true;
  });
  let between = 0;
  while (!done) {
    await caller.add(`written meanwhile ${between}`);
    if (!done) between += 1;
  }
  expect(between).toBeGreaterThan(20);
  const cuts = await cutting;
  expect(cuts.length).toBeGreaterThan(100);
  const own = [caller.tenantId, id];
  const [holes] = await connection.all<{ holes: number }>(
    `SELECT COUNT(*) AS holes FROM episodes e WHERE tenantId = ? AND conversationId = ? AND fromOrdinal > 1
     AND NOT EXISTS (SELECT 1 FROM episodes b WHERE b.tenantId = e.tenantId AND b.conversationId = e.conversationId
       AND b.toOrdinal = e.fromOrdinal - 1)`,
    own,
  );
  expect(holes!.holes).toBe(0);
});
