import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection, Reader, Value } from '../../src/db/connection.ts';
import type { CandidateQuery } from '../../src/features/search/candidate.ts';
import { createCandidates } from '../../src/features/search/candidates.ts';
import { type TextEntry, textIndices } from '../../src/features/text/text-indices.ts';
import { type EnginePair, openEnginePair } from './engine-pair.ts';

/** Tables that grow with a tenant, which a search or a write must never read whole. */
const TABLES = /on "?(memories|messages|episodes|textPostings|textDocuments)"?/;
/** Names a row, or a range of them. */
const BY_ROW = /\((number|id|term|"conversationId") (=|>=|>)/;

/** Rows of each type that the index holds, all with a word of the query. */
const INDEXED = 2000;

let pair: EnginePair;
let plans: string[] = [];

beforeAll(async () => {
  pair = await openEnginePair('search_plans');
  await pair.postgres.writes.write('daemon', async (connection) => {
    await connection.run(
      `INSERT INTO conversations (tenantId, id, number, scope, endUser, metadata, messageCount, lastOrdinal, version,
         createdAt, updatedAt)
       SELECT 'ten_1', 'conv_' || i, i, 1, 'ann', '{}', 50, 50, 1, 0, 0 FROM generate_series(1, 100) AS s (i)`,
    );
    await connection.run(
      `INSERT INTO messages (tenantId, number, conversationId, ordinal, id, scope, role, content, metadata, createdAt)
       SELECT 'ten_1', i, 'conv_' || (1 + i / 50), i, 'msg_' || i, 1, 'user', 'kayak', '{}', i FROM generate_series(1, 5000) AS s (i)`,
    );
    await connection.run(
      `INSERT INTO memories (tenantId, number, id, version, current, scope, endUser, content, contentHash, tags,
         metadata, validFrom, createdAt, updatedAt)
       SELECT 'ten_1', i, 'mem_' || i, 1, 1, 1, 'ann', 'kayak', 'h' || i, '[]', '{}', 0, 0, 0
       FROM generate_series(1, 5000) AS s (i)`,
    );
    const numbers = Array.from({ length: INDEXED }, (_, at) => at + 1);
    await textIndices.memory.insert(connection, numbers.map(entryOf));
    await textIndices.message.insert(connection, numbers.map(entryOf));
  });
});
afterAll(() => pair.close());

const entryOf = (number: number): TextEntry => ({
  ...{ tenantId: 'ten_1', scope: 1, number, texts: [`kayak${number} boat`], part: 'live' },
  days: { at: 0, until: 0, dates: null },
});

/** Records the plan of each statement. */
function spy<T extends Reader>(reader: T, explain = 'EXPLAIN'): T {
  const note = async (sql: string, values: readonly Value[] = []) => {
    const lines = await reader.all<{ 'QUERY PLAN': string }>(`${explain} ${sql}`, values);
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
  };
  return {
    ...reader,
    all: (sql: string, values?: readonly Value[]) => note(sql, values).then(() => reader.all(sql, values)),
    get: (sql: string, values?: readonly Value[]) => note(sql, values).then(() => reader.get(sql, values)),
    ...('run' in reader && {
      run: (sql: string, values?: readonly Value[]) =>
        note(sql, values).then(() => (reader as unknown as Connection).run(sql, values)),
    }),
  };
}

/** The scans of growing tables that do not look up single rows. */
function wideScans(): string[] {
  return plans.flatMap((plan) => {
    const lines = plan.split('\n').map((line) => line.trim());
    return lines.flatMap((line, at) => {
      if (!/Scan/.test(line) || !TABLES.test(line) || /^-> {2}Tid Scan|^Tid Scan/.test(line)) return [];
      return BY_ROW.test(lines[at + 1] ?? '') ? [] : [`${line}\n${lines[at + 1]}`];
    });
  });
}

const QUERY: CandidateQuery = {
  ...{ tenantId: 'ten_1', endUser: 'ann', scope: 1, terms: ['kayak7', 'boat', 'kayk9'], months: ['__m1'], filter: {} },
  ...{ asOfMs: undefined, nowMs: 1, pool: 50 },
};

test.each<[string, Partial<CandidateQuery>]>([
  ['without conditions', {}],
  ['under every condition', { filter: { tags: ['a'], metadata: { b: 1 }, afterMs: 1, beforeMs: 2 } }],
  ['of the past', { asOfMs: 1 }],
])('a search %s looks up single rows, before the tables have statistics', async (_, more) => {
  plans = [];
  await pair.postgres.readers.use((reader) => createCandidates().find(spy(reader), { ...QUERY, ...more }));
  expect(plans.length).toBeGreaterThan(5);
  expect(wideScans()).toEqual([]);
});

test.each([
  ['the present', {}],
  ['the past', { asOfMs: 5000 }],
])('a search of %s looks up each row once, however many conversations there are', async (_, more) => {
  plans = [];
  await pair.postgres.readers.use((reader) =>
    createCandidates().find(spy(reader, 'EXPLAIN (ANALYZE, TIMING OFF)'), { ...QUERY, ...more }),
  );
  const loops = plans.flatMap((plan) =>
    plan.split('\n').flatMap((line) => (TABLES.test(line) ? [Number(/loops=(\d+)/.exec(line)?.[1] ?? 0)] : [])),
  );
  expect(Math.max(...loops)).toBeGreaterThan(10);
  expect(Math.max(...loops)).toBeLessThanOrEqual(INDEXED);
  expect(plans.filter((plan) => /Removed by Join Filter/.test(plan))).toEqual([]);
});

test('writes to the index look up single rows, before the tables have statistics', async () => {
  plans = [];
  await pair.postgres.writes.write('ten_1', async (connection) => {
    await textIndices.message.insert(spy(connection), [entryOf(4000)]);
    await textIndices.message.remove(spy(connection), [entryOf(40), entryOf(4000)]);
  });
  expect(plans.length).toBeGreaterThan(5);
  expect(wideScans()).toEqual([]);
});
