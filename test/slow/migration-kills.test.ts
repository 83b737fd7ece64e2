import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.ts';
import { daemonBuild, root } from '../../scripts/build-options.mjs';
import { openConnection, type Row } from '../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fillTables } from '../db/fill-tables.ts';

const SCRIPT = fileURLToPath(new URL('migration-killed.ts', import.meta.url));
/** In the folder of the daemon's bundle, so that it finds the same packages. */
const BUNDLE = `${root}dist/migration-killed.mjs`;
const AT_ONCE = 3;

let folder: string;
/** A database without rows, migrated by one step more for each test. */
let empty: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-migration-kills-'));
  empty = await mkdtemp(join(folder, 'empty-'));
  const { outdir, splitting, chunkNames, ...options } = daemonBuild;
  await build({ ...options, entryPoints: [SCRIPT], outfile: BUNDLE });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A database of an earlier schema with rows in every table. */
async function createFilled(schema: number): Promise<string> {
  await migrate(await ensureDatabaseFile(empty), MIGRATIONS.slice(0, schema));
  const own = await mkdtemp(join(folder, 'filled-'));
  await cp(empty, own, { recursive: true });
  const connection = await openConnection(join(own, 'svc.db'));
  await fillTables(connection);
  await connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await connection.close();
  return own;
}

/** The schema and all rows of a file; `integrity` is what SQLite finds wrong. */
async function contentsOf(file: string): Promise<Record<string, unknown>> {
  const connection = await openConnection(file);
  const schema = await connection.all<{ type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
  );
  const contents: Record<string, unknown> = { schema, integrity: await connection.all('PRAGMA integrity_check') };
  for (const { type, name, sql } of schema) {
    // The segments of a full-text index depend on how it was written; its rows do not.
    if (type !== 'table' || /_(data|idx|config)$/.test(name) || /USING fts5vocab/i.test(sql ?? '')) continue;
    const rows = await connection.all<Row>(`SELECT * FROM "${name}"`);
    contents[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  await connection.close();
  return contents;
}

async function run(own: string, schema: number, last?: number) {
  const args = [BUNDLE, join(own, 'svc.db'), `${schema}`, `${last ?? 0}`];
  return execa(process.execPath, args, { reject: false });
}

/** Kills the migration to `schema` before its statement `last`, finishes it, and returns what is then in the file. */
async function killAndFinish(filled: string, schema: number, last: number): Promise<Record<string, unknown>> {
  const own = await mkdtemp(join(folder, 'killed-'));
  await cp(filled, own, { recursive: true });
  const { signal } = await run(own, schema, last);
  expect(signal).toBe('SIGKILL');
  const file = await ensureDatabaseFile(own);
  await migrate(file, MIGRATIONS.slice(0, schema));
  const contents = await contentsOf(file);
  await rm(own, { recursive: true });
  return contents;
}

const NEWEST = 3;
/** As shares of their statements. */
const KILLS_OF_OLDER = [0.5, 1];

/**
 * Statements to kill before: all of the newest migrations, and of older ones, which never change and run in a
 * transaction as well, one in the middle and the last.
 */
function placesOf(schema: number, statements: number): number[] {
  if (schema > MIGRATIONS.length - NEWEST) return Array.from({ length: statements }, (_, index) => index + 1);
  return KILLS_OF_OLDER.map((share) => Math.ceil(share * statements));
}

describe('kill -9 before statements of a migration of rows of every kind (rows 59, 72)', () => {
  test.each(MIGRATIONS.map(({ name }, index) => [name, index + 1] as const))(
    '%s: starts again, completes, and has the same schema and rows',
    async (name, schema) => {
      const filled = await createFilled(schema - 1);
      const whole = await mkdtemp(join(folder, 'whole-'));
      await cp(filled, whole, { recursive: true });
      const statements = Number((await run(whole, schema)).stdout);
      const expected = await contentsOf(join(whole, 'svc.db'));
      expect(statements).toBeGreaterThan(2);
      expect(expected.integrity).toEqual([{ integrity_check: 'ok' }]);

      const places = placesOf(schema, statements);
      const left = places.values();
      const kill = async () => {
        for (const last of left)
          expect(await killAndFinish(filled, schema, last), `statement ${last}`).toEqual(expected);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, kill));
      console.info(`${name}: kills before ${places.length} of ${statements} statements`);
    },
  );
});
