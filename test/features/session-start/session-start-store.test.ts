import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader } from '../../../src/db/connection.ts';
import {
  findUserMessages,
  listConversationEnds,
  listEpisodes,
  listMemories,
} from '../../../src/features/session-start/session-start-store.ts';
import { createDatabaseFolder, type DatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';

const PLACE = { tenantId: 'ten_1', endUser: 'default', project: { name: 'tea', only: false }, nowMs: 0 };
const ofProject = (table: string) => `SEARCH ${table} USING INDEX ${table}_project (tenantId=? AND project=?)`;

let place: DatabaseFolder;
let connection: Connection;
/** Sorted, because statements that run at once are planned in any order. */
const planOf = async (ask: (reader: Reader) => Promise<unknown>) => (await plannedBy(connection, ask)).sort();

beforeAll(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { readOnly: true });
});
afterAll(async () => {
  await connection.close();
  await place.clean();
});

test('memories are read by the indexes of pinned ones, of the project and of the user, without sorting', async () => {
  expect(await planOf((reader) => listMemories(reader, PLACE, 50))).toEqual([
    'SEARCH memories USING INDEX memories_pinned_user (tenantId=? AND endUser=?)',
    ofProject('memories'),
    'SEARCH memories USING INDEX memories_tenantid_enduser_id_index (tenantId=? AND endUser=?)',
  ]);
  expect(await planOf((reader) => listMemories(reader, { ...PLACE, project: undefined }, 50))).toEqual([
    'SEARCH memories USING INDEX memories_pinned_user (tenantId=? AND endUser=?)',
    'SEARCH memories USING INDEX memories_tenantid_enduser_id_index (tenantId=? AND endUser=?)',
  ]);
});

test('conversations and episodes are read by the index of the project, without sorting', async () => {
  expect(await planOf((reader) => listConversationEnds(reader, PLACE, 50))).toEqual([
    ofProject('conversations'),
    'SEARCH conversations USING INDEX conversations_tenantid_enduser_id_index (tenantId=? AND endUser=?)',
  ]);
  expect(await planOf((reader) => listEpisodes(reader, PLACE, 3))).toEqual([ofProject('episodes')]);
});

test('messages are read by their row ids', async () => {
  const plan = await planOf((reader) => findUserMessages(reader, 'ten_1', [1, 2]));
  expect(plan).toContain('SEARCH messages USING INTEGER PRIMARY KEY (rowid=?)');
  expect(plan.join()).not.toContain('TEMP B-TREE');
});
