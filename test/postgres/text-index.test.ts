import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ITEM_TYPES, type ItemType } from '../../src/contract/search.ts';
import type { Connection } from '../../src/db/connection.ts';
import { SEARCH_ENGINES } from '../../src/features/search/candidates.ts';
import type { IndexTerm } from '../../src/features/search/postings.ts';
import { type IndexedRow, type TextEntry, textIndices } from '../../src/features/text/text-indices.ts';
import { changeTotals, readTotals } from '../../src/features/text/word-totals.ts';
import { type EnginePair, openEnginePair } from './engine-pair.ts';

let pair: EnginePair;

beforeAll(async () => {
  pair = await openEnginePair('text_index');
});
afterAll(() => pair.close());

const USERS = [
  { tenantId: 'ten_1', scope: 1 },
  { tenantId: 'ten_1', scope: 22 },
  { tenantId: 'ten_2', scope: 333 },
];
const TEXTS = [
  'kayak',
  'kayaks',
  'kayaking',
  'running',
  'runs',
  's',
  'ing',
  '2024',
  '茶会',
  '茶道',
  'Ärger',
  'y',
  'sky',
];
const LONG = 'incomprehensibilitiesandmorethanthat';
const DAY_MS = 86_400_000;

const entry = fc.record({
  user: fc.nat(USERS.length - 1),
  words: fc.array(fc.constantFrom(...TEXTS, LONG), { maxLength: 8 }),
  speaker: fc.constantFrom(undefined, 'Kay Runner', '茶'),
  days: fc.nat(400),
  part: fc.constantFrom('live' as const, 'past' as const),
  isFar: fc.boolean(),
});
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('insert' as const), entries: fc.array(entry, { maxLength: 30 }) }),
  },
  // Many at once, so that chunks fill up.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('insert' as const),
      entries: fc.array(entry, { minLength: 150, maxLength: 300 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), every: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), every: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tidy' as const) }) },
);

const words: IndexTerm[] = [...TEXTS, LONG, '_kay', '__m3', '__1970m2', 'none'].map((text) => ({ text, as: 'word' }));
const terms: IndexTerm[] = [...words, { text: '茶', as: 'prefix' }, { text: 'kayak', as: 'stem' }];

/** Everything that a search can read of an index. */
async function readIndex(type: ItemType): Promise<unknown[]> {
  return pair.read(async (reader) => {
    const { postings } = SEARCH_ENGINES[reader.engine];
    const users = [];
    for (const user of USERS) {
      for (const parts of [['live'], ['past'], ['live', 'past']] as const) {
        const key = { ...user, type, parts };
        users.push({
          postings: await postings.of(reader, key, terms),
          counts: await postings.count(reader, key, terms),
          have: await postings.have(reader, key, terms),
        });
      }
      for (const [first, limit] of [
        ['k', 2],
        ['i', 9],
        ['茶', 9],
      ] as const) {
        const key = { ...user, type, parts: ['live'] } as const;
        users.push(await postings.vocabulary(reader, key, { first, least: 2, most: 8, limit }));
      }
    }
    return {
      users,
      totals: await reader.all(
        'SELECT tenantId, scope, type, documents, words, passages FROM wordTotals ORDER BY tenantId, scope, type',
      ),
    };
  });
}

function toEntry(
  { user, words: said, speaker, days, part, isFar }: typeof entry extends fc.Arbitrary<infer T> ? T : never,
  number: number,
): TextEntry {
  return {
    ...USERS[user]!,
    // As far apart as conversations, of which each has its own passages.
    number: isFar ? (user + 1) * 2 ** 40 + number : user * 2 ** 22 + number,
    texts: [said.join(' ')],
    ...(speaker !== undefined && { speaker }),
    days: { at: days * DAY_MS, until: days * DAY_MS, dates: null },
    part,
  };
}

const TABLES = {
  sqlite: ['memoryText', 'messageText', 'episodeText', 'wordTotals'],
  postgres: ['textDocuments', 'textPostings', 'wordTotals'],
};

async function empty(connection: Connection): Promise<void> {
  for (const table of TABLES[connection.engine]) await connection.run(`DELETE FROM ${table}`);
}

test('whatever is indexed and removed, both engines read the same postings, counts, vocabulary and totals', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ITEM_TYPES), fc.array(step, { maxLength: 8 }), async (type, steps) => {
      await pair.write(empty);
      const index = textIndices[type];
      const kept = new Map<number, TextEntry>();
      const gone: TextEntry[] = [];
      let number = 0;
      for (const one of steps) {
        if (one.kind === 'insert') {
          const entries = one.entries.map((each, at) => toEntry(each, number + at + 1));
          number += entries.length;
          await pair.write((connection) => index.insert(connection, entries));
          for (const each of entries) kept.set(each.number, each);
        }
        if (one.kind === 'remove') {
          const rows = [...kept.values()].filter((_, at) => at % one.every === 0);
          await pair.write((connection) => index.remove(connection, rows));
          for (const row of rows) kept.delete(row.number);
          gone.push(...rows);
        }
        if (one.kind === 'again') {
          // In the other part, as when a memory is superseded.
          const entries = gone.splice(0).filter((row, at) => at % one.every === 0 && !kept.has(row.number));
          const moved = entries.map((each) => ({
            ...each,
            part: each.part === 'live' ? ('past' as const) : ('live' as const),
          }));
          await pair.write((connection) => index.insert(connection, moved));
          for (const each of moved) kept.set(each.number, each);
        }
        if (one.kind === 'tidy') {
          await pair.write((connection) => index.tidy(connection));
          await pair.write((connection) => index.purge(connection, 'first'));
        }
      }
      const [onSqlite, onPostgres] = await readIndex(type);
      expect(onPostgres).toEqual(onSqlite);
      const rows: IndexedRow[] = [...kept.values(), { ...USERS[0]!, number: 7_777_777 }];
      const missing = await pair.write((connection) => index.missing(connection, rows as TextEntry[]));
      expect(missing).toEqual([[rows.at(-1)], [rows.at(-1)]]);
      await pair.write((connection) => index.remove(connection, [...kept.values()]));
      const [left] = await pair.postgres.lookups.all<{ postings: number; documents: number; totals: number }>(
        `SELECT (SELECT COUNT(*) FROM textPostings) AS postings, (SELECT COUNT(*) FROM textDocuments) AS documents,
           (SELECT COUNT(*) FROM wordTotals) AS totals`,
      );
      expect(left).toEqual({ postings: 0, documents: 0, totals: 0 });
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('problems names documents whose postings are damaged or left over, and documents without a row', async () => {
  await pair.write(empty);
  const one = { ...USERS[0]!, number: 5, texts: ['kayak kayaks boat'], part: 'live' as const };
  const days = { at: 0, until: 0, dates: null };
  const { memory } = textIndices;
  await pair.write((connection) => memory.insert(connection, [{ ...one, days }]));
  const { writes } = pair.postgres;
  const spoil = (sql: string) => writes.write('daemon', (connection) => connection.run(sql));
  const problems = () => writes.write('daemon', memory.problems);
  expect(await problems()).toEqual(['memory 5 has no row entry']);
  await spoil(`INSERT INTO memories (tenantId, number, id, version, current, scope, endUser, content, contentHash, tags,
    metadata, validFrom, createdAt, updatedAt)
    VALUES ('ten_1', 5, 'mem_1', 1, 1, 1, 'ann', 'kayak kayaks boat', 'hash', '[]', '{}', 0, 0, 0)`);
  expect(await problems()).toEqual([]);
  await spoil(`DELETE FROM textPostings WHERE term LIKE '%kayak'`);
  expect(await problems()).toEqual(['the postings of memory 5 do not match its length']);
  await spoil('DELETE FROM textDocuments');
  expect(await problems()).toEqual(['memory 5 has no index entry', 'the postings of memory 5 do not match its length']);
  await spoil('DELETE FROM memories');
});

test('a daemon of an earlier release, which knows no versions, still changes that of an index', async () => {
  const user = { tenantId: 'ten_1', scope: 4444 };
  const version = async () => (await readTotals(pair.postgres.readers.of('ten_1'), user)).get('memory')!.version;
  const write = (work: (connection: Connection) => Promise<unknown>) => pair.postgres.writes.write('ten_1', work);
  await write((connection) => changeTotals(connection, 'memory', [{ ...user, documents: 1, words: 2, passages: 0 }]));
  const before = await version();
  expect(before).toMatch(/^\S{16} \d+$/);
  expect(await version()).toBe(before);
  await write((connection) => connection.run('UPDATE wordTotals SET words = words WHERE scope = ?', [user.scope]));
  expect(await version()).not.toBe(before);
});
