import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Value } from '../../../src/db/connection.ts';
import { findMemoryVector } from '../../../src/features/embeddings/vector-sync-store.ts';
import * as answers from '../../../src/features/idempotency/idempotency-store.ts';
import * as store from '../../../src/features/memories/memories-store.ts';
import * as links from '../../../src/features/memories/memories-store.ts';
import * as lists from '../../../src/features/memories/memory-list-store.ts';
import * as lookups from '../../../src/features/memories/memory-lookups-store.ts';
import { createCandidates } from '../../../src/features/search/candidates.ts';
import * as scopes from '../../../src/features/text/scopes-store.ts';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import * as users from '../../../src/features/users/users-store.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

const search = createCandidates();

/** Plans do not depend on the data: statistics are never gathered. */

let folder: string;
let connection: Connection;
let plans: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-plans-'));
  await createMigratedDatabase(folder);
  connection = await openConnection(join(folder, 'svc.db'));
  await fill();
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

/** One row of each type, since empty types are skipped. */
async function fill(): Promise<void> {
  const insert = async (table: string, values: Record<string, Value>) => {
    const columns = await connection.all<{ name: string; notnull: number; type: string }>(
      `PRAGMA table_info(${table})`,
    );
    const needed = columns.filter(({ name, notnull }) => values[name] !== undefined || (notnull && name !== 'number'));
    const row = needed.map(({ name, type }) => values[name] ?? (type === 'TEXT' || type === 'text' ? '{}' : 1));
    const names = needed.map(({ name }) => name);
    await connection.run(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`, row);
  };
  const own = { tenantId: 'ten_rows', endUser: 'default', tags: '[]' };
  for (const table of ['memories', 'conversations', 'messages', 'episodes']) await insert(table, { ...own, id: 'x' });
  const days = { at: 1, until: 1, dates: null };
  const owned = { tenantId: 'ten_rows', scope: 1, number: 1 };
  const entry = { ...owned, texts: ['some words'], part: 'live' as const, days };
  for (const index of Object.values(textIndices)) await index.insert(connection, [entry]);
}

/** A connection that records the query plan of each statement. */
function spy(): Connection {
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

const TENANT = { tenantId: 'ten_1' };
const PLACES = ['a', 'b', 'c'].map((id) => ({ ...TENANT, id, endUser: id, contentHash: id, key: id, externalId: id }));
const LIST = { ...TENANT, includeSuperseded: false, nowMs: 1 };
const BY_ID = { orderBy: 'createdAt', order: 'desc', limit: 51 } as const;
const BY_UPDATE = { ...BY_ID, orderBy: 'updatedAt' } as const;
const AFTER = { value: 5, id: 'c' };
const ANY = { name: 'p', only: false };
const ONLY = { name: 'p', only: true };
const EVERY = {
  ...LIST,
  ...{ user: 'a', tags: ['a', 'b'], metadata: [['k', 'v']] as [string, string][], source: 'msg_1', project: ANY },
  ...{ externalId: 'x', afterMs: 1, beforeMs: 2, pinned: false },
};
const ORIGIN = { client: 'codex', sourceKind: 'none', expires: 'soon' } as const;
const QUERY = {
  tenantId: 'ten_rows',
  endUser: 'default',
  scope: 1,
  terms: ['some', 'words'],
  months: ['__m5'],
  filter: {},
  asOfMs: undefined,
  nowMs: 1,
  pool: 50,
};
const CLOSING = { ...TENANT, id: 'a', validTo: 1, supersededBy: 'b', nowMs: 1 };
const OWN_ID = /^SEARCH (memories|m) USING INDEX memories_tenantid_id_version_unique \(tenantId=\? AND id=\?\)$/;
const BY_TAG =
  /^SEARCH f USING COVERING INDEX sqlite_autoindex_memoryTags_1 \(tenantId=\? AND tag=\?( AND memoryId<\?)?\)$/;
const BY_NUMBER = 'SEARCH m USING INTEGER PRIMARY KEY (rowid=?)';

test.each<[string, () => Promise<unknown>, (string | RegExp)[]]>([
  ['findMemory', () => store.findMemory(spy(), 'ten_1', 'a'), [OWN_ID]],
  ['findMemories', () => store.findMemories(spy(), PLACES), [OWN_ID]],
  [
    'listVersionsBelow',
    () => store.listVersionsBelow(spy(), { tenantId: 'ten_1', id: 'a' }, { below: 9, limit: 9 }),
    [/^SEARCH (memories|m) USING INDEX memories_tenantid_id_version_unique \(tenantId=\? AND id=\? AND version<\?\)$/],
  ],
  [
    'findSameContent',
    () => store.findSameContent(spy(), PLACES),
    [/USING INDEX memories_live_content .*contentHash=\?/],
  ],
  [
    'users',
    () => users.listUsers(spy(), { tenantId: 'ten_1', beforeScope: 9, nowMs: 1, limit: 9 }),
    [
      'SEARCH scopes USING INDEX scopes_newest (tenantId=? AND scope<?)',
      /^SEARCH m USING INDEX memories_live_content \(tenantId=\? AND endUser=\?\)/,
      /^SEARCH m USING INDEX memories_expiry \(expiresAt[><]\?/,
      /^SEARCH c .*\(tenantId=\? AND endUser=\?\)/,
      /^SEARCH e USING COVERING INDEX .*\(tenantId=\? AND endUser=\?\)/,
      /^SEARCH i .*\(tenantId=\? AND endUser=\?\)/,
    ],
  ],
  [
    'latest changes of a user',
    () => users.findLatestChanges(spy(), { tenantId: 'ten_1', endUser: 'a' }),
    [
      'SEARCH i USING COVERING INDEX memories_user_updated (tenantId=? AND endUser=? AND updatedAt>?)',
      'SEARCH i USING COVERING INDEX episodes_user_updated (tenantId=? AND endUser=? AND updatedAt>?)',
    ],
  ],
  ['findScopes', () => scopes.findScopes(spy(), PLACES), [/^SEARCH scopes .*\(tenantId=\? AND endUser=\?\)/]],
  ['list', () => lists.listMemories(spy(), LIST, BY_ID), [/^SEARCH m .*\(tenantId=\?\)/]],
  ['oldest first', () => lists.listMemories(spy(), LIST, { ...BY_ID, order: 'asc' }), [/^SEARCH m .*\(tenantId=\?\)/]],
  ['next page', () => lists.listMemories(spy(), LIST, { ...BY_ID, after: AFTER }), [/\(tenantId=\? AND id<\?\)/]],
  [
    'list of a user',
    () => lists.listMemories(spy(), { ...LIST, user: 'a' }, BY_ID),
    [/\(tenantId=\? AND endUser=\?\)/],
  ],
  [
    'next page of a user',
    () => lists.listMemories(spy(), { ...LIST, user: 'a' }, { ...BY_ID, after: AFTER }),
    [/\(tenantId=\? AND endUser=\? AND id<\?\)/],
  ],
  ['list by time', () => lists.listMemories(spy(), { ...LIST, afterMs: 1, beforeMs: 2 }, BY_ID), [/\(tenantId=\?\)/]],
  [
    'list of a project and none',
    () => lists.listMemories(spy(), { ...LIST, project: ANY }, BY_ID),
    [/\(tenantId=\?\)/],
  ],
  ['list of a project', () => lists.listMemories(spy(), { ...LIST, project: ONLY }, BY_ID), [/memories_project/]],
  [
    'list of a client',
    () => lists.listMemories(spy(), { ...LIST, ...ORIGIN }, BY_ID),
    [/memories_client \(tenantId=\? AND client=\?\)/],
  ],
  [
    'next page of a client and a user',
    () => lists.listMemories(spy(), { ...LIST, ...ORIGIN, user: 'a' }, { ...BY_ID, after: AFTER }),
    [/\(tenantId=\? AND endUser=\? AND id<\?\)/],
  ],
  [
    'next page of a client by update',
    () => lists.listMemories(spy(), { ...LIST, ...ORIGIN }, { ...BY_UPDATE, after: AFTER }),
    [/memories_updated \(tenantId=\? AND /],
  ],
  [
    'next page of a kind of source',
    () => lists.listMemories(spy(), { ...LIST, sourceKind: 'message' }, { ...BY_ID, after: AFTER }),
    [/memories_source_kind \(tenantId=\? AND sourceKind=\? AND id<\?\)/],
  ],
  [
    'list of what expires soon',
    () => lists.listMemories(spy(), { ...LIST, expires: 'soon' }, BY_ID),
    [/memories_expiring \(tenantId=\?\)/],
  ],
  ['list by tags', () => lists.listMemories(spy(), { ...LIST, tags: ['a', 'b'] }, BY_ID), [BY_TAG]],
  [
    'next page by tags and all',
    () => lists.listMemories(spy(), EVERY, { ...BY_ID, after: AFTER }),
    [/^SEARCH f .*\(tenantId=\? AND sourceId=\? AND memoryId<\?\)/],
  ],
  [
    'list by update',
    () => lists.listMemories(spy(), LIST, BY_UPDATE),
    [/memories_updated \(tenantId=\? AND updatedAt>\?\)/],
  ],
  [
    'next page by update, with tags',
    () => lists.listMemories(spy(), { ...LIST, tags: ['a'] }, { ...BY_UPDATE, after: AFTER }),
    [/memories_updated \(tenantId=\? AND .*\(updatedAt,id\)<\(\?,\?\)\)/],
  ],
  [
    'list by occurrence',
    () => lists.listMemories(spy(), LIST, { ...BY_UPDATE, orderBy: 'occurredAt', order: 'asc' }),
    [/memories_occurred \(tenantId=\? AND occurredAt>\?\)/, /\(tenantId=\?\)/],
  ],
  [
    'next page by occurrence',
    () => lists.listMemories(spy(), LIST, { ...BY_UPDATE, orderBy: 'occurredAt', after: { value: 5, id: 'a' } }),
    [/memories_occurred \(tenantId=\? AND .*\(occurredAt,id\)<\(\?,\?\)\)/, /\(tenantId=\?\)/],
  ],
  ['count', () => lists.countMemories(spy(), LIST), [/^SEARCH m .*\(tenantId=\?\)/]],
  ['count of a source', () => lists.countMemories(spy(), EVERY), [/^SEARCH f .*\(tenantId=\? AND sourceId=\?\)/]],
  ['listMemoryIds', () => lists.listMemoryIds(spy(), LIST, 9), [/^SEARCH m .*\(tenantId=\?\)/]],
  ['listMemoryIds of some', () => lists.listMemoryIds(spy(), LIST, 9, ['a', 'b']), [/^SEARCH m .* AND id=\?\)/]],
  [
    'listMemoryIds of some with a tag',
    () => lists.listMemoryIds(spy(), { ...LIST, user: 'a', tags: ['a'] }, 9, ['a', 'b']),
    [/^SEARCH f .* AND memoryId=\?\)/, /^SEARCH m .* AND id=\?\)/],
  ],
  ['findByExternalId', () => store.findByExternalId(spy(), PLACES), [/memories_external .*externalId=\?/]],
  ['listExpired', () => store.listExpired(spy(), 1, 200), [/memories_expiry/]],
  ['updateSuperseded', () => store.updateSuperseded(spy(), CLOSING), [OWN_ID]],
  [
    'superseded memories',
    () => links.listSupersededBy(spy(), { ...TENANT, endUser: 'a' }, ['a', 'b'], { nowMs: 1, limit: 9 }),
    [/^SEARCH m USING INDEX memories_superseded \(tenantId=\? AND supersededBy=\?\)/],
  ],
  [
    'findMemoryVector',
    () => findMemoryVector(spy(), { tenantId: 'ten_1', scope: 1, number: 1 }),
    [/^SEARCH v .*\(model=\? AND scope=\? AND type=\? AND number=\?\)/],
  ],
  ['updateReplaced', () => store.updateReplaced(spy(), 'ten_1', 1, 1), [/INTEGER PRIMARY KEY/]],
  ['deleteMemory', () => store.deleteMemory(spy(), 'ten_1', 'a'), [/memories_superseded/, /memory_tags_of/]],
  [
    'leaveSources',
    () => lookups.leaveSources(spy(), { tenantId: 'ten_1', id: 'a' }, ['b']),
    [/memory_tags_of/, /\(tenantId=\? AND sourceId=\? AND memoryId=\?\)/, /^SEARCH g .*\(tenantId=\? AND id=\?\)/],
  ],
  [
    'deleteLeft',
    () => lookups.deleteLeft(spy(), 'ten_1', ['b']),
    [/\(tenantId=\? AND sourceId=\?\)/, /^SEARCH m .*\(tenantId=\? AND id=\?\)/],
  ],
  ['deleteLookups', () => lookups.deleteLookups(spy(), 'ten_1', ['a']), [/memory_tags_of/, /memory_sources_of/]],
  [
    'deleteSomeOf',
    () => store.deleteSomeOf(spy(), { tenantId: 'ten_1' }, 200),
    [/INTEGER PRIMARY KEY/, /\(tenantId=\?\)/],
  ],
  ['deleteAllLookupsOf', () => lookups.deleteAllLookupsOf(spy(), 'ten_1'), [/\(tenantId=\?\)/]],
  ['deleteScopesOf', () => scopes.deleteScopesOf(spy(), 'ten_1'), [/\(tenantId=\?\)/]],
  ['findAnswers', () => answers.findAnswers(spy(), PLACES, 1), [/\(tenantId=\? AND idempotencyKey=\?\)/]],
  ['blankAnswersAbout', () => answers.redactAnswersAbout(spy(), 'a', ['b']), [/\(tenantId=\? AND resourceId=\?\)/]],
  [
    'deleteSomeAnswersBefore',
    () => answers.deleteSomeAnswersBefore(spy(), 1, 200),
    [/\(tenantId=\? AND idempotencyKey=\?\)/, /createdAt/],
  ],
  ['deleteAnswersOf', () => answers.deleteAnswersOf(spy(), 'a'), [/\(tenantId=\?\)/]],
  ['candidates', () => search.find(spy(), QUERY), [BY_NUMBER]],
  [
    'candidates under every condition',
    () => search.find(spy(), { ...QUERY, filter: { tags: ['a'], metadata: { b: 1 }, afterMs: 1, beforeMs: 2 } }),
    [BY_NUMBER],
  ],
  [
    'candidates of the past',
    () => search.find(spy(), { ...QUERY, asOfMs: 1 }),
    [BY_NUMBER, 'SEARCH c USING INDEX memories_tenantid_id_version_unique (tenantId=? AND id=?)'],
  ],
])('%s reads tables only through an index', async (name, run, expected) => {
  plans = [];
  await run();
  for (const step of expected) {
    const matches = (line: string) => (typeof step === 'string' ? line === step : step.test(line));
    expect(plans.some(matches), `${name}: ${step}\n${plans.join('\n')}`).toBe(true);
  }
  const scans = plans.filter((line) =>
    /^SCAN (?!(memory|message|episode)Text|json_each|t VIRTUAL|word\d+$|n VIRTUAL|CONSTANT ROW|\(subquery|a |b |f$|p$|\d+-ROW VALUES)/.test(
      line,
    ),
  );
  expect(scans).toEqual([]);
  if (name.startsWith('list') || name.startsWith('next')) expect(plans.join()).not.toContain('ORDER BY');
});
