import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';

let folder: DatabaseFolder;

beforeEach(async () => {
  folder = await createDatabaseFolder();
});

afterEach(() => folder.clean());

/** The files of the data folder that this process has open. */
async function openFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(folder.path));
}

async function execOn(file: string, sql: string): Promise<void> {
  const connection = await openConnection(file);
  await connection.exec(sql);
  await connection.close();
}

describe.runIf(process.platform === 'linux')('leaves no file handle open after', () => {
  test('a file with garbage after a valid header', async () => {
    const bytes = await readFile(folder.file);
    await writeFile(folder.file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0x5a)]));
    await expect(folder.open()).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await openFiles()).toEqual([]);
  });

  test('a database with another schema version', async () => {
    await execOn(folder.file, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    await expect(folder.open()).rejects.toThrow(/newer svc/);
    await execOn(folder.file, `PRAGMA user_version = ${SCHEMA_VERSION - 1}`);
    await expect(folder.open()).rejects.toThrow(/svc serve/);
    expect(await openFiles()).toEqual([]);
  });

  test('a missing file, which is not created', async () => {
    await rm(folder.file);
    await expect(openConnection(folder.file)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await readdir(folder.path)).not.toContain('svc.db');
    expect(await openFiles()).toEqual([]);
  });

  test('a folder that is locked', async () => {
    const lock = await lockFolder(folder.path, 4711);
    await expect(lockFolder(folder.path, 4712)).rejects.toThrow(/process 4711/);
    await lock.release();
    await (await lockFolder(folder.path, 4712)).release();
    expect(await openFiles()).toEqual([]);
  });

  test('closing a database', async () => {
    const db = await folder.open();
    expect(await openFiles()).not.toEqual([]);
    await db.readers.get('SELECT 1');
    await db.close();
    expect(await openFiles()).toEqual([]);
  });

  test('closing a database while statements are being prepared', async () => {
    const db = await folder.open();
    const reads = Array.from({ length: 3 }, (_, index) => db.readers.get(`SELECT ${index}`));
    const settled = Promise.allSettled([...reads, db.checkpoint()]);
    await db.close();
    await settled;
    expect(await openFiles()).toEqual([]);
  });
});

describe('the write-ahead log', () => {
  const walBytes = async () => (await stat(`${folder.file}-wal`)).size;

  test('is truncated by a checkpoint and removed on close', async () => {
    const db = await folder.open();
    for (let at = 0; at < 50; at += 1) await db.probe(at);
    expect(await walBytes()).toBeGreaterThan(0);
    await db.checkpoint();
    expect(await walBytes()).toBe(0);
    await db.probe(51);
    await db.close();
    expect((await readdir(folder.path)).filter((name) => name.startsWith('svc.db'))).toEqual(['svc.db']);
  });

  test('does not block writers or the checkpoint while a reader is busy', async () => {
    const db = await folder.open();
    await db.probe(1);
    const reader = await openConnection(folder.file, { readOnly: true });
    await reader.exec('BEGIN; SELECT count(*) FROM pulse');
    const checkpoint = db.checkpoint();
    for (let at = 0; at < 20; at += 1) await db.probe(at);
    await checkpoint;
    await reader.exec('COMMIT');
    await reader.close();
    await db.checkpoint();
    expect(await walBytes()).toBe(0);
  });
});

describe('a connection', () => {
  let connection: Connection;
  beforeEach(async () => {
    connection = await openConnection(folder.file);
  });
  afterEach(() => connection.close());

  test('is durable: full synchronization, a write-ahead log, and erased content is overwritten', async () => {
    expect(await connection.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
    expect(await connection.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(await connection.get('PRAGMA secure_delete')).toEqual({ secure_delete: 1 });
    expect(await connection.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
  });

  test('runs more distinct statements than it keeps prepared', async () => {
    for (let count = 0; count < 1200; count += 1) {
      expect(await connection.get(`SELECT ${count} AS number`)).toEqual({ number: count });
    }
    expect(await connection.get('SELECT 0 AS number')).toEqual({ number: 0 });
  });

  test('reports a failing statement without its bound values', async () => {
    const secret = 'svc_live_0123456789abcdef0123456789abcdef';
    await connection.run('INSERT INTO invitations VALUES (?, 1)', [secret]);
    for (const sql of ['INSERT INTO invitations VALUES (?, 1)', 'SELECT nothing FROM invitations WHERE email = ?']) {
      const fault = await connection.run(sql, [secret]).catch((error: Error) => error);
      expect(fault).toBeInstanceOf(Error);
      expect(`${(fault as Error).stack} ${JSON.stringify(fault)}`).not.toContain(secret);
    }
  });
});
