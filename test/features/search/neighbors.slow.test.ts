import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { openConnection } from '../../../src/db/connection.ts';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

/**
 * One user does the same in two databases, of which one is shared with neighbors who write, erase and reorganize the
 * index in between. Every search must have the same results and scores in both.
 */

let alone: MemoryDaemon;
let shared: MemoryDaemon;

beforeAll(async () => {
  const start = async () => {
    const clock = createTestClock();
    clock.freeze();
    clock.setWall(Date.UTC(2026, 4, 1));
    return startMemoryDaemon({ clock });
  };
  [alone, shared] = [await start(), await start()];
});
afterAll(() => Promise.all([alone.close(), shared.close()]));

const WORDS = ['kayak', 'kayaking', 'river', 'house', 'red', 'boat', 'May 3rd', 'I', 'yesterday', '茶会', 'Ann'];
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const which = fc.nat(6);

type Step =
  | { kind: 'add' | 'episode'; text: string }
  | { kind: 'change'; text: string; which: number }
  | { kind: 'forget'; which: number }
  | { kind: 'say'; texts: string[] }
  | { kind: 'neighbor'; texts: string[] }
  | { kind: 'neighborErases' | 'merge' | 'purge' | 'vacuum' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('add' as const, 'episode' as const), text }),
  fc.record({ kind: fc.constant('change' as const), text, which }),
  fc.record({ kind: fc.constant('forget' as const), which }),
  fc.record({ kind: fc.constant('say' as const), texts: fc.array(text, { minLength: 1, maxLength: 5 }) }),
  fc.record({ kind: fc.constant('neighbor' as const), texts: fc.array(text, { minLength: 1, maxLength: 30 }) }),
  fc.record({
    kind: fc.constantFrom('neighborErases' as const, 'merge' as const, 'purge' as const, 'vacuum' as const),
  }),
);

/** A step of the user, with ids by position because they differ between the databases. */
async function take(caller: Caller, ids: { memories: string[]; conversation: string }, each: Step): Promise<void> {
  const talk = conversing(caller);
  if (each.kind === 'add') ids.memories.push((await caller.add(each.text)).id);
  if (each.kind === 'episode') await talk.episode({ title: each.text, ...SPAN });
  if (each.kind === 'change') await caller.change(ids.memories[each.which] ?? 'none', { content: each.text });
  if (each.kind === 'forget') await caller.erase(ids.memories[each.which] ?? 'none');
  if (each.kind === 'say') {
    const messages = each.texts.map((content, at) => ({ role: 'user', name: at % 2 === 0 ? 'Ann' : 'Bob', content }));
    await talk.append(ids.conversation, messages);
  }
}

async function disturb(neighbor: Caller, each: Step): Promise<void> {
  const { writes } = shared.db;
  if (each.kind === 'neighbor') {
    await neighbor.addAll(each.texts.map((content, at) => ({ content, user: `user ${at % 3}` })));
    const talk = conversing(neighbor);
    await talk.say((await talk.begin()).id, ...each.texts);
    await talk.episode({ title: each.texts[0], ...SPAN });
  }
  if (each.kind === 'neighborErases') {
    const { data } = (await neighbor.call<{ data: { id: string }[] }>('/v1/memories?limit=5')).body;
    for (const { id } of data) await neighbor.erase(id);
  }
  for (const index of Object.values(textIndices)) {
    if (each.kind === 'merge') await writes.write('daemon', index.tidy);
    if (each.kind === 'purge') await writes.write('daemon', (connection) => index.purge(connection, 'first'));
  }
  if (each.kind === 'vacuum' && !onPostgres) {
    const connection = await openConnection(join(shared.folder, 'svc.db'));
    await connection.exec('VACUUM');
    await connection.close();
  }
}

const QUERIES = [
  ...['kayak', 'red boat on the river', 'kayac', '茶', 'What did Ann say about the house?', 'when was May 3rd'],
].map((query) => ({ query }));
const requests = (asOf: string) => [
  ...QUERIES,
  { query: 'house kayak', strategy: 'lexical' },
  { query: 'house kayak', filter: { after: '2026-01-01T00:00:00.000Z' } },
  { query: 'house kayak', asOf },
];

/** What a caller sees of each search, except ids and times. */
async function searchAll(caller: Caller, asOfMs: number): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const request of requests(instant(asOfMs))) {
    const body = { ...request, explain: true, limit: 20 };
    const answer = await caller.call<SearchAnswer>('/v1/search', { body });
    expect(answer.status, answer.text).toBe(200);
    answers.push(answer.body.results.map(({ type, content, score, why }) => ({ type, content, score, why })));
  }
  return answers;
}

test('results and scores are the same with and without neighbors', { timeout: 180_000 }, async () => {
  const neighbor = await newAccount(shared);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      const users = await Promise.all(
        [alone, shared].map(async (daemon) => {
          const caller = await newAccount(daemon);
          return { daemon, caller, ids: { memories: [], conversation: (await conversing(caller).begin()).id } };
        }),
      );
      const startMs = alone.clock.nowMs();
      for (const { daemon } of users) daemon.clock.advance(startMs - daemon.clock.nowMs());
      for (const each of steps) {
        for (const { daemon, caller, ids } of users) {
          await take(caller, ids, each);
          daemon.clock.advance(1);
        }
        await disturb(neighbor, each);
      }
      const [mine, theirs] = [users[0]!.caller, users[1]!.caller];
      expect(await searchAll(theirs, startMs + 4)).toEqual(await searchAll(mine, startMs + 4));
    }),
    { numRuns: 4 },
  );
});
