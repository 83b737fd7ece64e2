import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withReader } from '../../../src/daemon/database-location.ts';
import { checkIntegrity } from '../../../src/daemon/integrity-check.ts';
import { moveDatabase } from '../../../src/daemon/move.ts';
import { openConnection, type Row } from '../../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../../src/db/database-file.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { MOVED_TABLES } from '../../../src/db/moving/moved-tables.ts';
import { fillTables } from '../../db/fill-tables.ts';
import { columnsToMove, movedColumns } from '../../db/moved-columns.ts';
import { allRows, configOf, createEnds, QUIET } from './move-ends.ts';

const ends = createEnds();
afterAll(ends.clean);

let folder: string;
let url: string;
let before: Record<string, Row[]>;
let there: Awaited<ReturnType<typeof moveDatabase>>;

/** Fills every table and moves it to PostgreSQL; the texts are made so that they can be indexed. */
beforeAll(async () => {
  [folder, url] = [await ends.folder(), await ends.database()];
  const file = await ensureDatabaseFile(folder);
  await migrate(file);
  const connection = await openConnection(file);
  await fillTables(connection);
  await connection.exec(`
    DELETE FROM databaseState;
    UPDATE memories SET tags = '[]', dates = NULL; UPDATE messages SET dates = NULL, number = number * 4194304; UPDATE episodes SET dates = NULL;
    UPDATE tenants SET storedBytes = 4 * createdAt;
    UPDATE providerSettings SET inputPrice = 0.1 + 0.2, outputPrice = 1e-7, dailySpend = 12345678901234.5;
    UPDATE memories SET content = 'zero: ' || char(0) || ', astral: 😀, last: ' || char(65533) WHERE number = 1;
    UPDATE scopes SET endUser = CASE scope WHEN 1 THEN '😀' WHEN 2 THEN '�' ELSE 'Z' END`);
  await connection.close();
  before = await allRows({ file });
  before.memories = before.memories!.map((row) => ({ ...row, content: String(row.content).replaceAll('\0', '�') }));
  there = await moveDatabase(configOf(folder), { url }, QUIET);
});

describe('a move', () => {
  test('to PostgreSQL and back keeps every row of every table', async () => {
    expect(there).toMatchObject({ tenants: 3, rows: MOVED_TABLES.length * 3 });
    expect(await allRows({ url })).toEqual(before);

    const back = await ends.folder();
    const report = await moveDatabase(configOf(back, { databaseUrl: url }), 'sqlite', QUIET);
    expect(report).toMatchObject({ tenants: 3, rows: MOVED_TABLES.length * 3, bytes: there.bytes });
    expect(await allRows({ file: join(back, 'svc.db') })).toEqual(before);
    expect(await checkIntegrity(configOf(back))).toEqual([]);
  });

  test('knows every table and column of PostgreSQL', async () => {
    const found = await withReader({ url }, (reader) =>
      reader.all<{ table: string; name: string }>(
        `SELECT table_name AS table, column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`,
      ),
    );
    expect(movedColumns()).toEqual(columnsToMove(found));
  });
});
