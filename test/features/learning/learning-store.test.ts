import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection, type Value } from '../../../src/db/connection.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { insertTenant } from '../../../src/features/accounts/accounts-store.ts';
import * as days from '../../../src/features/learning/learning-days-store.ts';
import * as store from '../../../src/features/learning/learning-store.ts';
import { findMemoryUses } from '../../../src/features/learning/memory-uses-store.ts';
import * as agreements from '../../../src/features/learning/model-agreements-store.ts';
import { createPendingSearches } from '../../../src/features/learning/pending-searches.ts';
import * as stored from '../../../src/features/learning/stored-searches-store.ts';
import { deleteUses } from '../../../src/features/memories/memories-store.ts';
import { deleteAllLookupsOf } from '../../../src/features/memories/memory-lookups-store.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

/** Two tenants with the same users, searches and days: only the predicate of a statement separates them. */

const TENANTS = ['ten_a', 'ten_b'];
const TABLES = ['learned', 'searches', 'learningDays', 'memoryUses', 'modelAgreements'];

let folder: string;
let db: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-learning-'));
  await createMigratedDatabase(folder);
  db = await openDatabase(join(folder, 'svc.db'), { readerCount: 1, monotonicMs: () => 0 });
  for (const tenantId of TENANTS) await fill(tenantId);
});
afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

const searchOf = (tenantId: string, id: string): store.AnsweredSearchRow => ({
  ...{ tenantId, id, endUser: 'default', bucket: 'other', candidates: '', signals: Buffer.alloc(0) },
  ...{
    shown: Buffer.alloc(0),
    createdAt: 10,
    learnedFrom: '',
    irrelevant: null,
    feedbackAt: null,
    confidence: null,
    scope: undefined,
  },
  ...{ query: 'plum', project: null, types: null, client: null },
});
const day = { day: '2026-05-20', feedbacks: 1, shownRanks: 1, defaultRanks: 0.5 };
const mixed = { ...day, mixture: '{}' };
const userOf = (tenantId: string) => ({ tenantId, endUser: 'default' });
/** With the model of the first tenant, which the second cannot use. */
const AGREED = { model: 1, share: 1 };
const learned = (tenantId: string) => ({ tenantId, endUser: 'default', state: Buffer.of(1), events: 1, updatedAt: 1 });

async function fill(tenantId: string): Promise<void> {
  await db.writes.write('daemon', async (connection) => {
    const tenant = { tenantId, email: `${tenantId}@example.com`, tier: 'Free' as const, createdAt: 1, erasedAt: null };
    await insertTenant(connection, tenant);
    await store.upsertLearned(connection, learned(tenantId));
    await store.insertSearches(connection, [searchOf(tenantId, 'srch_1'), searchOf(tenantId, 'srch_2')]);
    await days.addLearningDay(connection, userOf(tenantId), mixed);
    await connection.run(`INSERT INTO embeddingModels (tenantId, name, state) VALUES (?, 'small', 'serving')`, [
      tenantId,
    ]);
    await agreements.addModelAgreements(connection, tenantId, [AGREED]);
    await connection.run('INSERT INTO memoryUses (tenantId, memoryId, shown, used) VALUES (?, ?, 1, 1)', [
      ...[tenantId, 'mem_1'],
    ]);
  });
}

const pageOf = (tenantId: string, afterUser: string) => ({ tenantId, user: undefined, afterUser, limit: 9 });

const searchPage = (tenantId: string, more = {}) => ({
  ...{ tenantId, user: undefined, beforeId: undefined, exceptClient: undefined, sinceMs: 0, limit: 9, ...more },
});

const rowsOf = (tenantId: string) =>
  Promise.all(TABLES.map((table) => db.readers.all(`SELECT * FROM "${table}" WHERE tenantId = '${tenantId}'`)));

test.each<[string, (on: Connection) => Promise<unknown>]>([
  ['upsertLearned', (on) => store.upsertLearned(on, { ...learned('ten_b'), events: 9 })],
  ['updateLearnedFrom', (on) => store.updateLearnedFrom(on, { ...searchOf('ten_b', 'srch_1'), feedbackAt: 5 })],
  ['addLearningDay', (on) => days.addLearningDay(on, userOf('ten_b'), mixed)],
  ['deleteLearningDaysBefore', (on) => days.deleteLearningDaysBefore(on, userOf('ten_b'), '2026-05-21')],
  ['deleteLearned', (on) => store.deleteLearned(on, 'ten_b', 'default')],
  ['deleteUses', (on) => deleteUses(on, 'ten_b', ['mem_1'])],
  ['deleteAllLookupsOf', (on) => deleteAllLookupsOf(on, 'ten_b')],
  ['deleteSomeSearchesOf', (on) => store.deleteSomeSearchesOf(on, { tenantId: 'ten_b' }, 200)],
  ['deleteSomeLearnedOf', (on) => store.deleteSomeLearnedOf(on, { tenantId: 'ten_b' }, 200)],
])('%s for one tenant leaves every row of the other unchanged', async (_, run) => {
  const [before, own] = [await rowsOf('ten_a'), await rowsOf('ten_b')];
  await db.writes.write('daemon', run);
  expect(await rowsOf('ten_a')).toEqual(before);
  expect(await rowsOf('ten_b')).not.toEqual(own);
});

test('reads for one tenant return only its own rows', async () => {
  expect(await store.findLearned(db.readers, 'ten_b', 'default')).toMatchObject({ tenantId: 'ten_b' });
  expect(await store.listLearned(db.readers, pageOf('ten_b', ''))).toHaveLength(1);
  expect(await store.findLearnedUsers(db.readers, 'ten_b', ['default', 'x'])).toEqual(['default']);
  expect(await store.findLearnedUsers(db.readers, 'ten_c', ['default'])).toEqual([]);
  expect(await store.findSearch(db.readers, 'ten_b', 'srch_1', 0)).toMatchObject({ tenantId: 'ten_b' });
  expect(await days.listLearningDays(db.readers, 'ten_b', '2026-05-20')).toEqual([day]);
  expect(await days.listMixtures(db.readers, userOf('ten_b'))).toEqual([{ day: day.day, mixture: '{}' }]);
  expect(await store.findSearch(db.readers, 'ten_c', 'srch_1', 0)).toBeUndefined();
  expect(await stored.findStoredSearch(db.readers, { tenantId: 'ten_c', id: 'srch_1', sinceMs: 0 })).toBeUndefined();
  expect(await stored.listStoredSearches(db.readers, searchPage('ten_b'))).toHaveLength(2);
  expect(await stored.listStoredSearches(db.readers, searchPage('ten_c'))).toEqual([]);
  expect(await findMemoryUses(db.readers, 'ten_c', ['mem_1'])).toEqual([]);
});

/** A connection that records the query plan of each statement. */
function spy(connection: Connection, plans: string[]): Connection {
  const note = async (sql: string, values: readonly Value[] = []) => {
    const lines = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    plans.push(...lines.map(({ detail }) => detail));
  };
  return {
    ...connection,
    all: async (sql, values) => note(sql, values).then(() => connection.all(sql, values)),
    get: async (sql, values) => note(sql, values).then(() => connection.get(sql, values)),
    run: async (sql, values) => note(sql, values).then(() => connection.run(sql, values)),
  };
}

test.each<[string, (on: Connection) => Promise<unknown>, string]>([
  ['findLearned', (on) => store.findLearned(on, 'ten_a', 'x'), '(tenantId=? AND endUser=?)'],
  ['listLearned', (on) => store.listLearned(on, pageOf('ten_a', 'x')), '(tenantId=? AND endUser>?)'],
  [
    'listLearned of a user',
    (on) => store.listLearned(on, { ...pageOf('ten_a', ''), user: 'x' }),
    '(tenantId=? AND endUser=?)',
  ],
  ['findLearnedUsers', (on) => store.findLearnedUsers(on, 'ten_a', ['x', 'y']), '(tenantId=? AND endUser=?)'],
  ['findSearch', (on) => store.findSearch(on, 'ten_a', 'x', 1), '(tenantId=? AND id=?)'],
  [
    'findStoredSearch',
    (on) => stored.findStoredSearch(on, { tenantId: 'ten_a', id: 'x', sinceMs: 1 }),
    '(tenantId=? AND id=?)',
  ],
  [
    'listStoredSearches',
    (on) => stored.listStoredSearches(on, searchPage('ten_a', { beforeId: 'x' })),
    '(tenantId=? AND id<?)',
  ],
  [
    'listStoredSearches of a user',
    (on) => stored.listStoredSearches(on, searchPage('ten_a', { user: 'x', beforeId: 'x' })),
    '(tenantId=? AND endUser=? AND id<?)',
  ],
  ['findMemoryUses', (on) => findMemoryUses(on, 'ten_a', ['x']), '(tenantId=? AND memoryId=?)'],
  ['listLearningDays', (on) => days.listLearningDays(on, 'ten_a', 'x'), '(tenantId=? AND day>?)'],
  ['listMixtures', (on) => days.listMixtures(on, userOf('ten_a')), '(tenantId=? AND endUser=?)'],
  [
    'deleteLearningDaysBefore',
    (on) => days.deleteLearningDaysBefore(on, userOf('ten_a'), 'x'),
    '(tenantId=? AND endUser=? AND day<?)',
  ],
  ['updateLearnedFrom', (on) => store.updateLearnedFrom(on, searchOf('ten_a', 'x')), '(tenantId=? AND id=?)'],
  ['deleteSomeSearchesBefore', (on) => store.deleteSomeSearchesBefore(on, 1, 9), '(createdAt<?)'],
  ['deleteSomeSearchesOf', (on) => store.deleteSomeSearchesOf(on, { tenantId: 'ten_c' }, 9), '(tenantId=?)'],
  ['deleteSomeLearnedOf', (on) => store.deleteSomeLearnedOf(on, { tenantId: 'ten_c' }, 9), '(tenantId=?)'],
])('%s reads tables only through an index', async (_, run, expected) => {
  const plans: string[] = [];
  const connection = await openConnection(join(folder, 'svc.db'));
  await run(spy(connection, plans));
  await connection.close();
  expect(plans.join('\n')).toContain(expected);
  expect(plans.filter((line) => /^SCAN (?!\d+-ROW VALUES|t VIRTUAL TABLE)|TEMP B-TREE/.test(line))).toEqual([]);
});

describe('pending searches', () => {
  const liveDaemons = () => 1;
  const log = () => {
    const lines: string[] = [];
    const note = (_: object, message: string) => void lines.push(message);
    return { lines, info: note, warn: note, error: note };
  };
  const count = async () => (await db.readers.get<{ rows: number }>('SELECT COUNT(*) AS rows FROM searches'))!.rows;

  test('are written together, except those of erased tenants', async () => {
    const pending = createPendingSearches({ db, clock: createTestClock(), log: log(), liveDaemons });
    for (let index = 0; index < 450; index += 1) pending.add(searchOf('ten_a', `srch_a${index}`));
    pending.add(searchOf('ten_gone', 'srch_gone'));
    expect([pending.has('ten_a', 'srch_a449'), pending.has('ten_b', 'srch_a449')]).toEqual([true, false]);
    await Promise.all([pending.flush(), pending.flush()]);
    expect(pending.has('ten_a', 'srch_a449')).toBe(false);
    expect(await count()).toBe(4 + 450);
    expect(pending.dropped()).toBe(0);
  });

  test('are bounded: the excess is dropped and counted', async () => {
    const pending = createPendingSearches({ db, clock: createTestClock(), log: log(), liveDaemons });
    for (let index = 0; index < 2003; index += 1) pending.add(searchOf('ten_a', `srch_a${index}`));
    expect(pending.dropped()).toBe(3);
    await pending.flush();
    expect(await count()).toBe(4 + 2000);
  });

  test.each([
    [1, 10, 67],
    [2, 10_010, 234],
  ])('of one tenant are rate-limited: %i daemons share the limit', async (daemons, first, later) => {
    const clock = createTestClock();
    clock.freeze();
    const pending = createPendingSearches({ db, clock, log: log(), liveDaemons: () => daemons });
    const bring = (tenantId: string, count: number) => {
      const before = pending.dropped();
      const row = searchOf(tenantId, '');
      for (let index = 0; index < count; index += 1) {
        if (index % 1000 === 0) pending.forget(tenantId);
        pending.add({ ...row, id: `srch_${index}` });
      }
      pending.forget(tenantId);
      return pending.dropped() - before;
    };
    expect(bring('ten_a', 20_010)).toBe(first);
    expect(bring('ten_b', 100)).toBe(0);
    clock.advance(60_000);
    expect(bring('ten_a', 400)).toBe(later);
  });

  test('are dropped, counted and logged when they cannot be written', async () => {
    const logged = log();
    const pending = createPendingSearches({ db, clock: createTestClock(), log: logged, liveDaemons });
    pending.add(searchOf('ten_a', 'srch_3'));
    await db.writes.drain();
    await pending.flush();
    expect([pending.dropped(), pending.has('ten_a', 'srch_3')]).toEqual([1, false]);
    expect(logged.lines).toEqual(['could not store searches for feedback']);
  });

  test('of an erased tenant are discarded', async () => {
    const pending = createPendingSearches({ db, clock: createTestClock(), log: log(), liveDaemons });
    for (const tenantId of TENANTS) pending.add(searchOf(tenantId, 'srch_3'));
    pending.forget('ten_a');
    await pending.flush();
    expect(await count()).toBe(5);
  });
});

test('expired searches are deleted in batches', async () => {
  const forget = (beforeMs: number) =>
    db.writes.write('daemon', (connection) => store.deleteSomeSearchesBefore(connection, beforeMs, 3));
  expect(await forget(9)).toBe(0);
  expect([await forget(10), await forget(10), await forget(10)]).toEqual([3, 1, 0]);
});
