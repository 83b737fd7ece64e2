import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkIntegrity } from '../../../src/daemon/administration.ts';
import { withReader } from '../../../src/daemon/database-location.ts';
import { moveDatabase } from '../../../src/daemon/move.ts';
import { openConnection, type Row } from '../../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../../src/db/database-file.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { MOVED_TABLES, UNMOVED_TABLES } from '../../../src/db/moving/moved-tables.ts';
import { fillTables } from '../../db/fill-tables.ts';
import { allRows, configOf, createEnds, QUIET } from './move-ends.ts';

const ends = createEnds();
afterAll(ends.clean);

let folder: string;
let url: string;
let before: Record<string, Row[]>;

/** Fills every table; the texts are made so that they can be indexed. */
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
});

const columnsOf = (reader: { engine: string }) =>
  reader.engine === 'sqlite'
    ? `SELECT t.name AS tableName, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
    : `SELECT table_name AS "tableName", column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public'`;
const FULL_TEXT = /^(memory|message|episode)Text/;

describe('a move', () => {
  test('to PostgreSQL and back keeps every row of every table', async () => {
    const there = await moveDatabase(configOf(folder), { url }, QUIET);
    expect(there).toMatchObject({ tenants: 3, rows: MOVED_TABLES.length * 3 });
    expect(await allRows({ url })).toEqual(before);

    const back = await ends.folder();
    const report = await moveDatabase(configOf(back, { databaseUrl: url }), 'sqlite', QUIET);
    expect(report).toMatchObject({ tenants: 3, rows: MOVED_TABLES.length * 3, bytes: there.bytes });
    expect(await allRows({ file: join(back, 'svc.db') })).toEqual(before);
    expect(await checkIntegrity(configOf(back))).toEqual([]);
  });

  test.each(['sqlite', 'postgres'])('knows every table and column of %s', async (engine) => {
    const location = engine === 'sqlite' ? { file: join(folder, 'svc.db') } : { url };
    const found = await withReader(location, (reader) =>
      reader.all<{ tableName: string; name: string }>(columnsOf(reader)),
    );
    const moved = found.filter(({ tableName }) => !UNMOVED_TABLES.includes(tableName) && !FULL_TEXT.test(tableName));
    const known = MOVED_TABLES.flatMap(({ name, columns, derivedColumns }) =>
      [...columns, ...derivedColumns].map((column) => `${name}.${column}`),
    );
    expect(known.toSorted()).toEqual(moved.map(({ tableName, name }) => `${tableName}.${name}`).sort());
  });
});
