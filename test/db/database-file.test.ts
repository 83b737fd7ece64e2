import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.ts';
import { openPlainConnection } from '../../src/db/connection.ts';
import { APPLICATION_ID, ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { digestOf } from '../helpers/file-digest.ts';
import { createMigratedDatabase } from '../helpers/migrated-database.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-file-'));
  file = join(folder, 'svc.db');
});

afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true, force: true });
});

/** Starts as the daemon does, up to the open database. */
async function start(): Promise<void> {
  await migrate(await ensureDatabaseFile(folder));
  const db = await openDatabase(file, { readerCount: 1, monotonicMs: () => 0 });
  await db.close();
}

async function makeDatabase(sql: string): Promise<void> {
  const connection = await openPlainConnection(file, { create: true });
  await connection.exec(sql);
  await connection.close();
}

/** Creates one of our databases, with rows on many pages. */
async function makeLarge(): Promise<void> {
  await createMigratedDatabase(folder);
  await makeDatabase(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
     INSERT INTO invitations SELECT 'mail-' || i || hex(randomblob(100)), i FROM n`,
  );
}

async function breakPages(from: number): Promise<void> {
  const bytes = await readFile(file);
  const pageBytes = bytes.readUInt16BE(16);
  const first = from * pageBytes;
  bytes.fill(0xa5, first, first + 8 * pageBytes);
  await writeFile(file, bytes);
}

const REFUSED: [what: string, make: () => Promise<void>, says: RegExp][] = [
  ['an empty file', () => writeFile(file, ''), /is empty.*Restore a backup/],
  ['garbage', () => writeFile(file, 'x'.repeat(10_000)), /is not a SQLite database.*Restore a backup/],
  ['a truncated file', () => writeFile(file, 'SQLite format 3\0'), /is not a SQLite database/],
  ['a database without an application id', () => makeDatabase('CREATE TABLE t (a)'), /another program/],
  [
    'a database of another program',
    () => makeDatabase('PRAGMA application_id = 42; CREATE TABLE t (a)'),
    /another program/,
  ],
  [
    'a database of a newer svc',
    () => makeDatabase(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 999; CREATE TABLE t (a)`),
    /written by a newer svc \(schema 999/,
  ],
  [
    'a corrupt page in the middle',
    async () => {
      await makeLarge();
      await breakPages(60);
    },
    /is corrupt.*Restore a backup/,
  ],
  [
    'a corrupt page in a database of an older schema',
    async () => {
      await makeLarge();
      await makeDatabase('PRAGMA user_version = 1');
      await breakPages(60);
    },
    /is corrupt.*Restore a backup/,
  ],
  [
    'a read-only file',
    async () => {
      await createMigratedDatabase(folder);
      await chmod(file, 0o400);
    },
    /svc\.db is read-only/,
  ],
  [
    'a file in a read-only folder',
    async () => {
      await createMigratedDatabase(folder);
      await chmod(folder, 0o500);
    },
    /is read-only/,
  ],
];

describe('a database that svc must not touch (row 56)', () => {
  test.each(REFUSED)('refuses %s and leaves its bytes unchanged', async (_what, make, says) => {
    await make();
    const before = await digestOf(file);
    const names = await readdir(folder);
    const refusal = await start().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'unprocessable', message: expect.stringMatching(says) });
    expect((refusal as Error).message).not.toContain('\n');
    expect(await digestOf(file)).toBe(before);
    expect((await readdir(folder)).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(names);
  });

  test('leaves the log of a newer svc that was killed unchanged', async () => {
    await createMigratedDatabase(folder);
    const connection = await openPlainConnection(file);
    await connection.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 999');
    const [bytes, log] = await Promise.all([readFile(file), readFile(`${file}-wal`)]);
    await connection.close();
    await Promise.all([writeFile(file, bytes), writeFile(`${file}-wal`, log)]);
    await expect(start()).rejects.toThrow(/newer svc/);
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect((await readFile(`${file}-wal`)).equals(log)).toBe(true);
  });

  test('does not replay the log of a missing database into a new one', async () => {
    await writeFile(`${file}-wal`, 'what was written last');
    await expect(start()).rejects.toThrow(/is missing, but its log/);
    expect(await readdir(folder)).toEqual(['svc.db-wal']);
    await rm(`${file}-wal`);
    await start();
  });
});

describe('a database of our own', () => {
  test('is created if there is none, marked as ours and migrated', async () => {
    await start();
    const header = await readFile(file);
    expect(header.readUInt32BE(68)).toBe(APPLICATION_ID);
    expect(header.readUInt32BE(60)).toBe(MIGRATIONS.length);
    expect(await readdir(folder)).toEqual(['svc.db']);
  });

  test('is readable by its owner only, like its log, even in a folder that others may enter', async () => {
    await chmod(folder, 0o755);
    await ensureDatabaseFile(folder);
    await migrate(file);
    const db = await openDatabase(file, { readerCount: 1, monotonicMs: () => 0 });
    await db.probe(0);
    for (const name of ['svc.db', 'svc.db-wal', 'svc.db-shm']) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    await db.close();
  });

  test('replaces the partial file of a start that was killed', async () => {
    for (const suffix of ['', '-wal', '-shm']) await writeFile(`${file}.new${suffix}`, 'half a database');
    await start();
    expect(await readdir(folder)).toEqual(['svc.db']);
  });

  test('keeps its content when it is opened again', async () => {
    await makeLarge();
    await start();
    await start();
    const connection = await openPlainConnection(file);
    expect(await connection.get('SELECT count(*) AS count FROM invitations')).toEqual({ count: 3000 });
    await connection.close();
  });
});
