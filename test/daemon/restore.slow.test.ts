import { chown, copyFile, link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openConnection, openPlainConnection } from '../../src/db/connection.ts';
import { APPLICATION_ID, ensureDatabaseFile } from '../../src/db/database-file.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { migrate, SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { digestOf } from '../helpers/file-digest.ts';
import { createMigratedDatabase } from '../helpers/migrated-database.ts';
import { digestsOf, runAdmin, runAdminAtTerminal } from './backup-folder.ts';

/** A data folder that was backed up with one memory and one key, and changed afterwards. */
let origin: string;
let backup: string;
let oldKey: string;
let newKey: string;
let folder: string;
let file: string;

beforeAll(async () => {
  origin = await mkdtemp(join(tmpdir(), 'svc-origin-'));
  backup = join(origin, 'backup.db');
  await createMigratedDatabase(origin);
  const daemon = await startTestDaemon({ dataDir: origin });
  oldKey = (await daemon.signIn('ada@example.com')).apiKey;
  await daemon.call(oldKey, '/v1/memories', { body: { content: 'before the backup' } });
  expect((await runAdmin(origin, 'backup', backup)).code).toBe(0);
  newKey = (await daemon.signIn('ada@example.com')).apiKey;
  await daemon.call(newKey, '/v1/memories', { body: { content: 'after the backup' } });
  await daemon.stop();
});

afterAll(() => rm(origin, { recursive: true, force: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-restore-'));
  file = join(folder, 'svc.db');
  return () => rm(folder, { recursive: true, force: true });
});

/** Leaves the folder as a killed daemon would: a database, and a log with the latest writes. */
async function leaveLog(): Promise<void> {
  await copyFile(join(origin, 'svc.db'), file);
  const connection = await openConnection(file);
  await connection.exec('PRAGMA wal_autocheckpoint = 0');
  await connection.exec("INSERT INTO invitations VALUES ('in-the-log@example.com', 1)");
  const [bytes, log] = await Promise.all([readFile(file), readFile(`${file}-wal`)]);
  await connection.close();
  await Promise.all([writeFile(file, bytes), writeFile(`${file}-wal`, log)]);
}

async function contentsOf(database: string): Promise<string[]> {
  const connection = await openPlainConnection(database, { readOnly: true });
  const rows = await connection.all<{ content: string }>('SELECT content FROM memories');
  await connection.close();
  return rows.map(({ content }) => content);
}

async function invitationsIn(database: string): Promise<string[]> {
  const connection = await openPlainConnection(database, { readOnly: true });
  const rows = await connection.all<{ email: string }>('SELECT email FROM invitations ORDER BY email DESC');
  await connection.close();
  return rows.map(({ email }) => email);
}

/** Starts a daemon on the folder and returns what it serves. */
async function served(): Promise<{ contents: string[]; old: number; fresh: number }> {
  const daemon = await startTestDaemon({ dataDir: folder });
  const list = await daemon.call<{ data?: { content: string }[] }>(oldKey, '/v1/memories');
  const fresh = await daemon.call(newKey, '/v1/account');
  await daemon.stop();
  return { contents: (list.body.data ?? []).map(({ content }) => content), old: list.status, fresh: fresh.status };
}

const AS_BACKED_UP = { contents: ['before the backup'], old: 200, fresh: 401 };
const asideName = async () => (await readdir(folder)).find((name) => name.includes('.before-restore-'));

describe('a restored backup', () => {
  test('is served from a folder that had no database, and the backup file is unchanged', async () => {
    const before = await digestOf(backup);
    const { code, json } = await runAdmin(folder, 'restore', backup, '--json');
    expect(code).toBe(0);
    expect(json()).toEqual({
      database: file,
      accounts: 1,
      schema: SCHEMA_VERSION,
      former: null,
      missingMasterKey: null,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await digestOf(backup)).toBe(before);
    expect(await served()).toEqual(AS_BACKED_UP);
  });

  test('replaces a database that still has a log, which is replayed into the old one (row 57)', async () => {
    await leaveLog();
    const { code, out } = await runAdmin(folder, 'restore', backup, '--yes');
    expect(code).toBe(0);
    const aside = await asideName();
    expect(out).toContain(join(folder, aside!));
    expect(await invitationsIn(join(folder, aside!))).toEqual(['in-the-log@example.com']);
    expect(await invitationsIn(file)).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.startsWith('svc.db')).sort()).toEqual(['svc.db', aside]);
    expect((await runAdmin(folder, 'check')).out).toBe('The database is sound.\n');
    expect(await served()).toEqual(AS_BACKED_UP);
  });

  test.each([
    ['garbage', () => writeFile(file, 'x'.repeat(10_000))],
    ['empty', () => writeFile(file, '')],
    ['missing, but whose log exists', () => rm(file)],
  ])('replaces a database that is %s, and moves its log away', async (_what, breakIt) => {
    await leaveLog();
    await breakIt();
    expect((await runAdmin(folder, 'restore', backup, '--yes')).code).toBe(0);
    const aside = (await readdir(folder)).filter((name) => name.includes('.before-restore-'));
    expect(aside.some((name) => name.endsWith('-wal'))).toBe(true);
    expect(await invitationsIn(file)).toEqual([]);
    expect(await contentsOf(file)).toEqual(AS_BACKED_UP.contents);
  });

  test('is migrated if it has an older schema', async () => {
    const older = join(folder, 'older.db');
    const { MIGRATIONS } = await import('../../migrations/index.ts');
    const made = await mkdtemp(join(folder, 'made-'));
    await migrate(await ensureDatabaseFile(made), MIGRATIONS.slice(0, 2));
    const connection = await openPlainConnection(join(made, 'svc.db'));
    await connection.exec("INSERT INTO invitations VALUES ('eve@example.com', 1); PRAGMA journal_mode = DELETE");
    await connection.close();
    await copyFile(join(made, 'svc.db'), older);
    const { code, json } = await runAdmin(folder, 'restore', older, '--json');
    expect({ code, schema: json().schema }).toEqual({ code: 0, schema: 2 });
    expect(await invitationsIn(file)).toEqual(['eve@example.com']);
    expect((await runAdmin(folder, 'check')).code).toBe(0);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'is owned by the owner of the database or its folder when root restores it',
    async () => {
      await chown(folder, 1000, 1000);
      await runAdmin(folder, 'restore', backup);
      expect(await stat(file)).toMatchObject({ uid: 1000, gid: 1000 });
      await chown(file, 1001, 1001);
      await runAdmin(folder, 'restore', backup, '--yes');
      expect(await stat(file)).toMatchObject({ uid: 1001, gid: 1001 });
    },
  );

  test('warns that old keys work again and erased content is back', async () => {
    const { out } = await runAdmin(folder, 'restore', backup);
    expect(out).toMatch(/A key that was replaced or revoked since then works again/);
    expect(out).toMatch(/Data that was erased since then is back/);
  });
});

describe('a restore that would replace accounts', () => {
  beforeEach(leaveLog);

  test('is refused without a terminal to ask at, and done with --yes', async () => {
    const before = await digestsOf(folder);
    const { code, out, error } = await runAdmin(folder, 'restore', backup);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toBe('svc: A database with 1 account already exists. Pass --yes to replace it without asking.\n');
    expect(await digestsOf(folder)).toEqual(before);
    expect((await runAdmin(folder, 'restore', backup, '--yes')).code).toBe(0);
  });

  test('asks at a terminal: no changes nothing, yes restores', async () => {
    const before = await digestsOf(folder);
    const no = await runAdminAtTerminal(folder, 'n', 'restore', backup);
    expect(no).toMatchObject({
      questions: ['A database with 1 account already exists. Replace it with the backup? [y/N] '],
      failure: 'Nothing was changed.',
    });
    expect(await digestsOf(folder)).toEqual(before);
    expect(await runAdminAtTerminal(folder, 'y', 'restore', backup)).toMatchObject({ failure: undefined });
    expect(await served()).toEqual(AS_BACKED_UP);
  });
});

/** Files that are refused, and how to create them at `path`. */
const REFUSED: [what: string, make: (path: string) => Promise<void>, says: RegExp][] = [
  ['a missing file', async () => {}, /does not exist/],
  ['an empty file', (path) => writeFile(path, ''), /is empty/],
  ['garbage', (path) => writeFile(path, 'x'.repeat(10_000)), /is not a SQLite database/],
  ['a database of another program', (path) => makeDatabase(path, 'CREATE TABLE t (a)'), /another program/],
  [
    'a database of a newer svc',
    (path) => makeDatabase(path, `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 999`),
    /written by a newer svc \(schema 999/,
  ],
  [
    'a corrupt page in the middle',
    async (path) => {
      const bytes = await readFile(backup);
      const half = Math.floor(bytes.length / 2 / 4096) * 4096;
      await writeFile(path, bytes.fill(0xa5, half, half + 4 * 4096));
    },
    /is corrupt/,
  ],
  ['a truncated file', async (path) => writeFile(path, (await readFile(backup)).subarray(0, 8192)), /is corrupt/],
  [
    'an index that does not match its rows',
    async (path) => {
      await copyFile(backup, path);
      await makeDatabase(path, 'DELETE FROM memoryText');
    },
    /is corrupt \(memory 1 has no index entry\)/,
  ],
  [
    'a database with its log beside it',
    async (path) => {
      await copyFile(backup, path);
      await writeFile(`${path}-wal`, 'what was written last');
    },
    /not a complete backup/,
  ],
];

async function makeDatabase(path: string, sql: string): Promise<void> {
  const connection = await openPlainConnection(path, { create: true });
  await connection.exec(sql);
  await connection.close();
}

describe('a restore refuses and changes nothing for (row 56)', () => {
  test.each(REFUSED)('%s', async (_what, make, says) => {
    await leaveLog();
    const elsewhere = await mkdtemp(join(folder, 'elsewhere-'));
    const path = join(elsewhere, 'some.db');
    await make(path);
    const before = [await digestsOf(folder), await digestsOf(elsewhere), await digestOf(`${file}-wal`)];
    const { code, out, error } = await runAdmin(folder, 'restore', path, '--yes');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(error).toMatch(says);
    expect([await digestsOf(folder), await digestsOf(elsewhere), await digestOf(`${file}-wal`)]).toEqual(before);
  });

  test('the database itself, and the database of another program in its place', async () => {
    await leaveLog();
    await rm(`${file}-wal`);
    expect((await runAdmin(folder, 'restore', file, '--yes')).error).toContain('is the database itself');
    await rm(file);
    await makeDatabase(file, 'CREATE TABLE t (a)');
    const before = await digestsOf(folder);
    const { code, error } = await runAdmin(folder, 'restore', backup, '--yes');
    expect(code).toBe(1);
    expect(error).toContain('another program');
    expect(await digestsOf(folder)).toEqual(before);
  });
});

test('leftovers of a killed restore (a draft, a second link to the database) affect neither a daemon nor the next restore', async () => {
  const aside = `${file}.before-restore-2026-11-20T09-00-00.000Z`;
  const leaveDraft = async () => {
    for (const suffix of ['', '-wal', '-shm', '-journal'])
      await writeFile(`${file}.restoring${suffix}`, 'half a database');
  };
  const listDrafts = async () => (await readdir(folder)).filter((name) => name.includes('restoring'));
  await copyFile(join(origin, 'svc.db'), file);
  await link(file, aside);
  await leaveDraft();
  expect(await served()).toMatchObject({ old: 401, fresh: 200 });
  // A draft may have what was erased since.
  expect(await listDrafts()).toEqual([]);
  expect((await stat(aside)).nlink).toBe(2);
  await leaveDraft();
  expect((await runAdmin(folder, 'restore', backup, '--yes')).code).toBe(0);
  expect(await served()).toEqual(AS_BACKED_UP);
  expect(await listDrafts()).toEqual([]);
});

describe('a restore beside other processes', () => {
  test('is refused while a daemon runs on the folder', async () => {
    await leaveLog();
    const lock = await lockFolder(folder, process.pid);
    const before = await digestsOf(folder);
    const refused = await runAdmin(folder, 'restore', backup, '--yes');
    expect(refused.code).toBe(1);
    expect(refused.error).toContain('Another svc daemon');
    expect(await digestsOf(folder)).toEqual(before);
    await lock.release();
    expect((await runAdmin(folder, 'restore', backup, '--yes')).code).toBe(0);
  });

  test('is refused while a command has the database open, without disturbing it', async () => {
    await leaveLog();
    const other = await openConnection(file);
    await other.exec("BEGIN IMMEDIATE; INSERT INTO invitations VALUES ('half@example.com', 2)");
    const { code, error } = await runAdmin(folder, 'restore', backup, '--yes');
    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('Another process has') });
    await other.exec('COMMIT');
    await other.close();
    expect(await invitationsIn(file)).toEqual(['in-the-log@example.com', 'half@example.com']);
    expect(await asideName()).toBeUndefined();
  });

  test('receives no writes from a command that still has the old database open', async () => {
    await leaveLog();
    const late = await openPlainConnection(file);
    expect((await runAdmin(folder, 'restore', backup, '--yes')).code).toBe(0);
    const write = "PRAGMA journal_mode = WAL; INSERT INTO invitations VALUES ('late@example.com', 3)";
    await expect(late.exec(write)).rejects.toMatchObject({ code: 'unavailable' });
    await late.close();
    expect((await readdir(folder)).filter((name) => name.startsWith('svc.db-'))).toEqual([]);
    expect(await invitationsIn(file)).toEqual([]);
    expect(await served()).toEqual(AS_BACKED_UP);
  });
});
