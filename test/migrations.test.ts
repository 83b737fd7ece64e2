import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS, type Migration } from '../migrations/index.ts';
import { type Connection, openConnection } from '../src/db/connection.ts';
import { ensureDatabaseFile } from '../src/db/database-file.ts';
import { migrate, schemaVersionOf } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { fillTables } from './db/fill-tables.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-migrate-'));
  file = await ensureDatabaseFile(folder);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function on<T>(path: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(path);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

interface SchemaEntry {
  type: string;
  name: string;
  sql: string | null;
}

/** Tables, indexes and triggers as SQLite stores them. */
const schemaOf = (path: string) =>
  on(path, (connection) =>
    connection.all<SchemaEntry>(
      "SELECT type, name, sql FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY type, name",
    ),
  );

async function rowCounts(connection: Connection): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await connection.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )) {
    if (/_(data|idx|config)$|TextWords$/.test(name)) continue;
    counts[name] = (await connection.get<{ rows: number }>(`SELECT count(*) AS rows FROM "${name}"`))?.rows ?? -1;
  }
  return counts;
}

describe('migrations', () => {
  let earlier: string;
  let current: SchemaEntry[];

  /** An empty database of an earlier schema. */
  const emptyOf = (version: number) => join(earlier, `${version}.db`);

  beforeAll(async () => {
    earlier = await mkdtemp(join(tmpdir(), 'svc-earlier-'));
    const growing = await ensureDatabaseFile(earlier);
    for (const version of MIGRATIONS.keys()) {
      await migrate(growing, MIGRATIONS.slice(0, version));
      await copyFile(growing, emptyOf(version));
    }
    await migrate(growing);
    current = await schemaOf(growing);
  });

  afterAll(() => rm(earlier, { recursive: true }));

  test.each([...MIGRATIONS.keys()])(
    'keep all rows, indexes and triggers when starting from schema %i',
    async (version) => {
      await copyFile(emptyOf(version), file);
      const before = await on(file, async (connection) => {
        await fillTables(connection);
        return rowCounts(connection);
      });
      await migrate(file);
      expect(await on(file, rowCounts)).toMatchObject(before);
      expect(await on(file, (connection) => connection.all('PRAGMA foreign_key_check'))).toEqual([]);
      expect(await on(file, (connection) => connection.all('PRAGMA integrity_check'))).toEqual([
        { integrity_check: 'ok' },
      ]);
      expect(await schemaOf(file)).toEqual(current);
    },
  );

  test('change nothing when run twice', async () => {
    await migrate(file);
    await on(file, fillTables);
    const before = [await schemaOf(file), await on(file, rowCounts)];
    await migrate(file);
    expect([await schemaOf(file), await on(file, rowCounts)]).toEqual(before);
  });

  test('have unique names in order', () => {
    const names = MIGRATIONS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    const numbers = names.map((name) => /^\d{4}(?=-)/.exec(name)?.[0]);
    expect(new Set(numbers).size).toBe(names.length);
    expect(numbers).not.toContain(undefined);
  });

  test('keep the index of memories joined to its rows: what was found before is found afterwards', async () => {
    await migrate(file);
    await on(file, (connection) =>
      connection.run('INSERT INTO memoryText (rowid, body) VALUES (7, ?)', ['000001_tea']),
    );
    await migrate(file);
    const found = await on(file, (connection) =>
      connection.all('SELECT rowid FROM memoryText WHERE memoryText MATCH ?', ['"000001_tea"']),
    );
    expect(found).toEqual([{ rowid: 7 }]);
  });
});

const good: Migration = {
  name: '0001-good',
  up: (db) => db.schema.createTable('first', (table) => table.text('name')),
};
const failing: Migration = {
  name: '0002-failing',
  async up(db) {
    await db.schema.createTable('second', (table) => table.text('name').unique());
    await db('second').insert([{ name: 'svc_live_0123456789abcdef0123456789abcdef' }]);
    await db('second').insert([{ name: 'svc_live_0123456789abcdef0123456789abcdef' }]);
  },
};

describe('a step that fails', () => {
  test('leaves the previous schema, and does not reveal row values', async () => {
    const error = await migrate(file, [good, failing]).catch((fault: Error) => fault);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).stack).not.toContain('svc_live_0123');
    expect((await schemaOf(file)).map(({ name }) => name)).toEqual(['first']);
    expect(await schemaVersionOf(file)).toBe(1);
  });

  test('succeeds once it is fixed', async () => {
    await migrate(file, [good, failing]).catch(() => undefined);
    await migrate(file, [
      good,
      { ...failing, up: (db) => db.schema.createTable('second', (table) => table.text('name')) },
    ]);
    expect((await schemaOf(file)).map(({ name }) => name)).toEqual(['first', 'second']);
  });
});

/** Runs the migrations in another process and kills it (SIGKILL) once it reports that it has reached `moment`. */
async function killAt(moment: 'created' | 'in step 1' | 'in step 2' | 'after step 1'): Promise<void> {
  const script = fileURLToPath(new URL('./db/migrating-process.ts', import.meta.url));
  const child = execa(process.execPath, ['--import', 'tsx', script, folder, moment], { reject: false });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes(moment)) resolve();
    });
    child.then(({ stderr }) => reject(new Error(stderr)));
  });
  child.kill('SIGKILL');
  await child;
}

describe('kill -9 during a migration (row 59)', () => {
  test.each(['created', 'in step 1', 'after step 1', 'in step 2'] as const)(
    '%s: starts again and completes',
    async (moment) => {
      await rm(file);
      await killAt(moment);
      await migrate(await ensureDatabaseFile(folder));
      const db = await openDatabase(file, { readerCount: 1, monotonicMs: () => 0 });
      await db.probe(1);
      await db.close();
      const other = await mkdtemp(join(tmpdir(), 'svc-fresh-'));
      const fresh = await ensureDatabaseFile(other);
      await migrate(fresh);
      expect(await schemaOf(file)).toEqual(await schemaOf(fresh));
      await rm(other, { recursive: true });
    },
  );
});
