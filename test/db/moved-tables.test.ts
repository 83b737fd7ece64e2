import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnection } from '../../src/db/connection.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';
import { columnsToMove, movedColumns } from './moved-columns.ts';

let folder: DatabaseFolder;

beforeAll(async () => {
  folder = await createDatabaseFolder();
});

afterAll(() => folder.clean());

test('a move knows every table and column of SQLite', async () => {
  const connection = await openConnection(folder.file, { readOnly: true });
  const found = await connection.all<{ table: string; name: string }>(
    `SELECT t.name AS "table", c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  );
  await connection.close();
  expect(movedColumns()).toEqual(columnsToMove(found));
});
