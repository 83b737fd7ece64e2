import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader } from '../../../src/db/connection.ts';
import { listDecided, listUndone } from '../../../src/features/suggestions/suggestion-settings-store.ts';
import { createDatabaseFolder, type DatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';

let place: DatabaseFolder;
let connection: Connection;

beforeAll(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { readOnly: true });
});

afterAll(async () => {
  await connection.close();
  await place.clean();
});

test.each<[string, string, (reader: Reader) => Promise<unknown>]>([
  [
    'decided',
    'INDEX suggestions_decided (tenantId=? AND endUser=? AND decidedAt>?)',
    (reader) => listDecided(reader, { tenantId: 'ten_1', endUser: 'default', decidedBy: 'svc', sinceMs: 0 }),
  ],
  [
    'undone',
    'COVERING INDEX suggestions_undone (tenantId=? AND kind=? AND undoneAt>?)',
    (reader) => listUndone(reader, { tenantId: 'ten_1', kind: 'merge', sinceMs: 0, limit: 2 }),
  ],
])('what was %s of late is read from an index, whatever else there is', async (_what, index, ask) => {
  expect(await plannedBy(connection, ask)).toEqual([`SEARCH suggestions USING ${index}`]);
});
