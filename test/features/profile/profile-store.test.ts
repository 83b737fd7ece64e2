import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader } from '../../../src/db/connection.ts';
import {
  countMemories,
  findValidMemories,
  listRecentConversations,
  listRecentEpisodes,
  listRecentMemories,
  listReplaced,
} from '../../../src/features/profile/profile-store.ts';
import { createDatabaseFolder, type DatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';

const PLACE = { tenantId: 'ten_1', endUser: 'default', nowMs: 0 };

let place: DatabaseFolder;
let connection: Connection;
const planOf = (ask: (reader: Reader) => Promise<unknown>) => plannedBy(connection, ask);

beforeAll(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { readOnly: true });
});

afterAll(async () => {
  await connection.close();
  await place.clean();
});

test.each<[string, (reader: Reader) => Promise<unknown>]>([
  ['conversations', (reader) => listRecentConversations(reader, PLACE, 5)],
  ['episodes', (reader) => listRecentEpisodes(reader, PLACE, 5)],
])('the newest %s are read in the order of the index of their user, whatever else there is', async (_what, ask) => {
  expect(await planOf(ask)).toEqual([
    expect.stringMatching(/^SEARCH \w+ USING INDEX \w+ \(tenantId=\? AND endUser=\?\)$/),
  ]);
});

test('pinned and newest memories are read in index order, without sorting', async () => {
  const plan = await planOf((reader) => listRecentMemories(reader, PLACE, 100, 500));
  expect(plan.filter((line) => line.startsWith('SEARCH'))).toEqual([
    'SEARCH memories USING INDEX memories_pinned_user (tenantId=? AND endUser=?)',
    expect.stringMatching(/^SEARCH memories USING INDEX \w+ \(tenantId=\? AND endUser=\?\)$/),
  ]);
  expect(plan.join()).not.toContain('TEMP B-TREE');
});

test('memories are counted by an index of their user', async () => {
  // A plan answers no row to read the count from.
  const plan = await planOf((reader) => countMemories(reader, PLACE, 501).catch(() => undefined));
  expect(plan.filter((line) => /\bmemories\b/.test(line))).toEqual([
    expect.stringMatching(/^SEARCH memories USING INDEX \w+ \(tenantId=\? AND endUser=\?/),
  ]);
});

test('memories of topics, and what the newest took the place of, are looked up by index', async () => {
  const searched = async (ask: (reader: Reader) => Promise<unknown>) =>
    (await planOf(ask)).filter((line) => line.startsWith('SEARCH m'));
  expect(await searched((reader) => findValidMemories(reader, PLACE, ['mem_1'], 100))).toEqual([
    expect.stringMatching(/\(tenantId=\? AND id=\?/),
  ]);
  expect(await searched((reader) => listReplaced(reader, PLACE, ['mem_1'], 100))).toEqual([
    'SEARCH m USING INDEX memories_superseded (tenantId=? AND supersededBy=?)',
  ]);
});
