import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS, type Migration } from '../migrations/index.ts';
import { type Connection, openConnection } from '../src/db/connection.ts';
import { ensureDatabaseFile } from '../src/db/database-file.ts';
import { migrate, schemaVersionOf } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { fillTables, ROWS } from './db/fill-tables.ts';
import { createMigratedDatabase } from './helpers/migrated-database.ts';

let folder: string;
let file: string;
let other: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-migrate-'));
  file = await ensureDatabaseFile(folder);
  other = await mkdtemp(join(tmpdir(), 'svc-other-'));
});

afterEach(async () => {
  for (const path of [folder, other]) await rm(path, { recursive: true, force: true });
});

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
  const tables = await connection.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const counted = tables.filter(({ name }) => !/_(data|idx|config)$|TextWords$/.test(name));
  const counts = counted.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
  return counts.length === 0 ? {} : (await connection.get<Record<string, number>>(`SELECT ${counts}`))!;
}

describe('migrations', () => {
  test('keep all rows, indexes and triggers from every schema on', async () => {
    let before: Record<string, number> = {};
    async function expectSound(step: string | undefined): Promise<void> {
      await on(file, async (connection) => {
        expect(await rowCounts(connection), step).toMatchObject(before);
        expect(await connection.all('PRAGMA foreign_key_check'), step).toEqual([]);
        expect(await connection.all('PRAGMA integrity_check'), step).toEqual([{ integrity_check: 'ok' }]);
      });
    }
    // Rows are added at every schema, and go through all later migrations.
    for (let version = 0; version < MIGRATIONS.length; version += 1) {
      before = await on(file, async (connection) => {
        await fillTables(connection, { firstRow: 1 + version * ROWS });
        return rowCounts(connection);
      });
      await migrate(file, MIGRATIONS.slice(0, version + 1));
      await expectSound(MIGRATIONS[version]?.name);
    }
    await createMigratedDatabase(other);
    expect(await schemaOf(file)).toEqual(await schemaOf(join(other, 'svc.db')));
  });

  test('change nothing when run twice', async () => {
    await createMigratedDatabase(folder);
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
    await createMigratedDatabase(folder);
    await on(file, (connection) =>
      connection.run('INSERT INTO memoryText (rowid, body) VALUES (7, ?)', ['000001_tea']),
    );
    await migrate(file);
    const found = await on(file, (connection) =>
      connection.all('SELECT rowid FROM memoryText WHERE memoryText MATCH ?', ['"000001_tea"']),
    );
    expect(found).toEqual([{ rowid: 7 }]);
  });

  test('keep the conversations of jobs, of which each has at most one open job', async () => {
    const before = MIGRATIONS.findIndex(({ name }) => name === '0040-tidy-jobs');
    await migrate(file, MIGRATIONS.slice(0, before));
    const insert = (id: string) =>
      on(file, (connection) =>
        connection.run(
          `INSERT INTO jobs (tenantId, id, kind, state, conversationId, dryRun, fromOrdinal, toOrdinal, done, total,
             attempts, dueAt, requests, inputTokens, outputTokens, spend, result, createdAt, updatedAt)
           VALUES ('ten_1', ?, 'extract', 'queued', 'conv_1', 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, '{}', 1, 1)`,
          [id],
        ),
      );
    await insert('job_1');
    await migrate(file);
    await expect(insert('job_2')).rejects.toThrow('UNIQUE');
    const jobs = await on(file, (connection) => connection.all('SELECT id, conversationId, endUser FROM jobs'));
    expect(jobs).toEqual([{ id: 'job_1', conversationId: 'conv_1', endUser: null }]);
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

describe('a copy of the files in the middle of a migration (rows 59, 72)', () => {
  test.each([1, MIGRATIONS.length])('in step %i: starts again and completes', async (last) => {
    const steps = MIGRATIONS.slice(0, last).map((step, index) => ({
      ...step,
      async up(db: Knex) {
        await step.up(db);
        if (index + 1 < last) return;
        for (const name of await readdir(folder)) await copyFile(join(folder, name), join(other, name));
      },
    }));
    await migrate(file, steps);
    const copy = await ensureDatabaseFile(other);
    expect(await schemaVersionOf(copy)).toBe(last - 1);
    await Promise.all([migrate(copy), migrate(file)]);
    const db = await openDatabase(copy, { readerCount: 1, monotonicMs: () => 0 });
    await db.probe(1);
    await db.close();
    expect(await schemaOf(copy)).toEqual(await schemaOf(file));
  });
});
