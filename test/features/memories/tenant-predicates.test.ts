import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import * as answers from '../../../src/features/idempotency/idempotency-store.ts';
import * as store from '../../../src/features/memories/memories-store.ts';
import * as transfer from '../../../src/features/memories/memory-import-export-store.ts';
import * as lists from '../../../src/features/memories/memory-list-store.ts';
import * as lookups from '../../../src/features/memories/memory-lookups-store.ts';
import { createCandidates } from '../../../src/features/search/candidates.ts';
import * as scopes from '../../../src/features/text/scopes-store.ts';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

const search = createCandidates();

/** Two tenants with the same ids, tags and keys, so that only the tenant predicate of a statement separates them. */

const TENANTS = ['ten_a', 'ten_b'];
const TABLES = ['memories', 'memoryTags', 'memorySources', 'scopes', 'idempotencyKeys', 'idempotencyResources'];

let folder: string;
let connection: Connection;
/** The row of memory `mem_old` in tenant A. */
let number: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tenants-'));
  await createMigratedDatabase(folder);
  connection = await openConnection(join(folder, 'svc.db'));
  for (const [index, tenantId] of TENANTS.entries()) await fill(tenantId, index + 1);
  number = (await store.findMemory(connection, 'ten_a', 'mem_old'))!.number;
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

// Each test leaves the rows as they were.
beforeEach(() => connection.exec('BEGIN'));
afterEach(() => connection.exec('ROLLBACK'));

async function fill(tenantId: string, scope: number): Promise<void> {
  const row = (id: string, validTo: number | null, supersededBy: string | null) => ({
    ...{ tenantId, id, version: 1, current: 1, scope, endUser: 'default', content: `heron ${id}`, contentHash: id },
    ...{
      tags: '["t"]',
      metadata: '{}',
      source: '{"messageId":"msg_1"}',
      occurredAt: null,
      saidAt: null,
      project: null,
      client: null,
      author: null,
      origin: null,
      externalId: id === 'mem_new' ? 'ext' : null,
      expiresAt: 5,
      pinned: 0,
      validFrom: 1,
      validTo,
    },
    ...{ supersededBy, createdAt: 1, updatedAt: 1, traits: 0, dates: null },
  });
  const rows = [row('mem_old', 2, 'mem_new'), row('mem_new', null, null)];
  const numbers = await store.insertMemories(connection, rows);
  const days = { at: 1, until: 1, dates: null };
  const number = numbers.get('mem_new')!;
  await textIndices.memory.insert(connection, [{ tenantId, scope, number, texts: ['heron'], days, part: 'live' }]);
  await lookups.insertLookups(connection, rows);
  await scopes.insertScopes(connection, [{ tenantId, endUser: 'default' }]);
  const answer = { tenantId, idempotencyKey: 'key', requestHash: 'h', status: 201, answer: '{}', createdAt: 1 };
  await answers.insertAnswers(connection, [
    { ...answer, resourceIds: ['mem_old'] },
    { ...answer, idempotencyKey: 'second', resourceIds: [`of ${tenantId}`] },
  ]);
}

async function rowsOfA(): Promise<unknown[]> {
  return Promise.all(TABLES.map((table) => connection.all(`SELECT * FROM "${table}" WHERE tenantId = 'ten_a'`)));
}

/** Deletes the scope of a user whom both tenants are erasing. */
async function deleteHidden(tenantId: string): Promise<void> {
  await connection.run('UPDATE scopes SET erasedAt = 1');
  await scopes.deleteScope(connection, { tenantId, endUser: 'default' });
  await connection.run('UPDATE scopes SET erasedAt = NULL');
}

const closing = { tenantId: 'ten_b', id: 'mem_new', validTo: 3, supersededBy: 'mem_3', nowMs: 3 };

test.each<[string, () => Promise<unknown>]>([
  ['updateSuperseded', () => store.updateSuperseded(connection, closing)],
  ['updateSuccessors', () => transfer.updateSuccessors(connection, 'ten_b', new Map([['mem_new', 'mem_3']]))],
  ['updateReplaced', () => store.updateReplaced(connection, 'ten_b', number, 9)],
  ['deleteLookups', () => lookups.deleteLookups(connection, 'ten_b', ['mem_old'])],
  ['leaveSources', () => lookups.leaveSources(connection, { tenantId: 'ten_b', id: 'mem_old' }, ['msg_1'])],
  ['deleteMemory', () => store.deleteMemory(connection, 'ten_b', 'mem_new')],
  ['deleteSomeOf', () => store.deleteSomeOf(connection, { tenantId: 'ten_b' }, 200)],
  ['deleteAllLookupsOf', () => lookups.deleteAllLookupsOf(connection, 'ten_b')],
  ['deleteSomeOf a user', () => store.deleteSomeOf(connection, { tenantId: 'ten_b', endUser: 'default' }, 200)],
  ['updateHidden', () => scopes.updateHidden(connection, { tenantId: 'ten_b', endUser: 'default' }, 5)],
  ['deleteScope', () => deleteHidden('ten_b')],
  ['deleteScopesOf', () => scopes.deleteScopesOf(connection, 'ten_b')],
  ['blankAnswersAbout', () => answers.redactAnswersAbout(connection, 'ten_b', ['mem_old'])],
  ['blankAnswersAbout by the other’s id', () => answers.redactAnswersAbout(connection, 'ten_a', ['of ten_b'])],
  ['deleteAnswersOf', () => answers.deleteAnswersOf(connection, 'ten_b')],
  [
    'insertAnswers',
    () =>
      answers.insertAnswers(connection, [
        {
          ...{ tenantId: 'ten_b', idempotencyKey: 'key', requestHash: 'other', status: 200 },
          answer: null,
          createdAt: 2,
          resourceIds: [],
        },
      ]),
  ],
])('%s for one tenant leaves every row of the other', async (_, run) => {
  const before = await rowsOfA();
  await run();
  expect(await rowsOfA()).toEqual(before);
});

const list = { tenantId: 'ten_b', includeSuperseded: true, nowMs: 3 };
const page = (orderBy: 'createdAt' | 'occurredAt' | 'updatedAt') => ({ orderBy, order: 'desc', limit: 9 }) as const;
const ofTenantB = (count: number) => Array<{ tenantId: string }>(count).fill({ tenantId: 'ten_b' });
const query = {
  tenantId: 'ten_b',
  endUser: 'default',
  scope: 2,
  terms: ['heron'],
  months: ['__m5'],
  filter: {},
  asOfMs: undefined,
  nowMs: 3,
  pool: 9,
};

test.each<[string, () => Promise<{ tenantId: string }[]>, number]>([
  ['findMemory', async () => [(await store.findMemory(connection, 'ten_b', 'mem_old'))!], 1],
  ['findMemories', () => store.findMemories(connection, [{ tenantId: 'ten_b', id: 'mem_old' }]), 1],
  [
    'listVersionsBelow',
    () => store.listVersionsBelow(connection, { tenantId: 'ten_b', id: 'mem_old' }, { below: 9, limit: 9 }),
    1,
  ],
  [
    'findSameContent',
    () => store.findSameContent(connection, [{ tenantId: 'ten_b', endUser: 'default', contentHash: 'mem_new' }]),
    1,
  ],
  [
    'findByExternalId',
    () => store.findByExternalId(connection, [{ tenantId: 'ten_b', endUser: 'default', externalId: 'ext' }]),
    1,
  ],
  ['findScopes', () => scopes.findScopes(connection, [{ tenantId: 'ten_b', endUser: 'default' }]), 1],
  ['listMemories', () => lists.listMemories(connection, list, page('createdAt')), 2],
  ['listMemories by update', () => lists.listMemories(connection, list, page('updatedAt')), 2],
  ['listMemories by occurrence', () => lists.listMemories(connection, list, page('occurredAt')), 2],
  ['listMemories by source', () => lists.listMemories(connection, { ...list, source: 'msg_1' }, page('createdAt')), 2],
  ['countMemories', async () => ofTenantB(await lists.countMemories(connection, list)), 2],
  ['listMemoryIds', async () => ofTenantB((await lists.listMemoryIds(connection, list, 9)).length), 2],
  [
    'listMemoryIds of some',
    async () => ofTenantB((await lists.listMemoryIds(connection, list, 9, ['mem_old', 'mem_new'])).length),
    2,
  ],
  ['listMemories by tag', () => lists.listMemories(connection, { ...list, tags: ['t'] }, page('createdAt')), 2],
  [
    'listMemories by tag, by update',
    () => lists.listMemories(connection, { ...list, tags: ['t'] }, page('updatedAt')),
    2,
  ],
  ['findAnswers', () => answers.findAnswers(connection, [{ tenantId: 'ten_b', key: 'key' }], 0), 1],
  ['candidates', () => rowsOf(query), 1],
  ['candidates under a condition', () => rowsOf({ ...query, filter: { tags: ['t'] } }), 1],
  ['candidates of the past', () => rowsOf({ ...query, asOfMs: 3 }), 1],
  ['candidates by the number of another’s user', () => rowsOf({ ...query, scope: 1 }), 0],
  ['candidates of the past by it', () => rowsOf({ ...query, scope: 1, asOfMs: 3 }), 0],
])('%s for one tenant finds its own rows alone', async (_, find, count) => {
  const found = await find();
  expect(found.map(({ tenantId }) => tenantId)).toEqual(Array(count).fill('ten_b'));
});

async function rowsOf(of: typeof query | (Omit<typeof query, 'asOfMs'> & { asOfMs: number })) {
  const { candidates } = await search.find(connection, of);
  const rowIds = candidates.map(({ facts }) => facts.rowId);
  return [...(await search.load(connection, of, 'memory', rowIds)).values()];
}
