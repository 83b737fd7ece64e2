import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../src/contract/account.ts';
import { backUp } from '../../src/daemon/backup.ts';
import { readConfig } from '../../src/daemon/config.ts';
import { openConnection, openPlainConnection } from '../../src/db/connection.ts';
import { integrityProblems } from '../../src/db/integrity.ts';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { runAdmin, runAdminAtTerminal } from './backup-folder.ts';

let daemon: TestDaemon;
let apiKey: string;
let created: Account;
let folder: string;
let target: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey, account: created } = await daemon.signIn('ada@example.com'));
});

afterAll(() => daemon.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  target = join(folder, 'svc.db');
  return () => rm(folder, { recursive: true, force: true });
});

const daemonConfig = () => readConfig({ dataDir: daemon.folder }, {}, '');
const backup = (...words: string[]) => runAdmin(daemon.folder, 'backup', target, ...words);
const remember = async (content: string) =>
  String((await daemon.call(apiKey, '/v1/memories', { body: { content } })).body.id);

async function contentsOf(file: string): Promise<string[]> {
  const connection = await openPlainConnection(file, { readOnly: true });
  const rows = await connection.all<{ content: string }>('SELECT content FROM memories ORDER BY number');
  await connection.close();
  return rows.map(({ content }) => content);
}

describe('the time of the last backup', () => {
  const account = async () => (await daemon.call<Account>(apiKey, '/v1/account')).body;

  test('is shown to the only account, and to none of several', async () => {
    expect(created.lastBackupAt).toBeNull();
    const before = Date.now();
    await backup();
    const { lastBackupAt } = await account();
    expect(Date.parse(lastBackupAt!)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(lastBackupAt!)).toBeLessThanOrEqual(Date.now());
    const other = await daemon.signIn('grace@example.com');
    expect(other.account).not.toHaveProperty('lastBackupAt');
    expect(await account()).not.toHaveProperty('lastBackupAt');
    await daemon.call(other.apiKey, '/v1/account', { method: 'DELETE' });
    expect((await account()).lastBackupAt).toBe(lastBackupAt);
  });

  test('does not change with a backup that failed', async () => {
    const { lastBackupAt } = await account();
    await writeFile(target, 'something else');
    expect((await backup()).code).not.toBe(0);
    expect((await account()).lastBackupAt).toBe(lastBackupAt);
  });
});

describe('a backup beside a running daemon', () => {
  test('contains every acknowledged write, in one sound file of mode 0600', async () => {
    await remember('Ada prefers tea');
    const { code, error, json } = await backup('--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const { size, mode } = await stat(target);
    expect(mode & 0o777).toBe(0o600);
    expect(json()).toEqual({
      file: target,
      bytes: size,
      schema: SCHEMA_VERSION,
      accounts: 1,
      masterKeyIncluded: false,
      masterKeyFile: join(daemon.folder, 'master.key'),
    });
    expect(await contentsOf(target)).toContain('Ada prefers tea');
    expect(await integrityProblems(target, 'integrity_check')).toEqual([]);
    expect(await readdir(folder)).toEqual(['svc.db']);
  });

  test('finishes with a consistent snapshot under constant writes', async () => {
    await daemon.db.writes.write('daemon', (connection) =>
      connection.exec('CREATE TABLE ballast (body BLOB); INSERT INTO ballast VALUES (randomblob(10000000))'),
    );
    let busy = true;
    let written = 0;
    const writer = (async () => {
      for (; busy; written += 1)
        await daemon.db.writes.write('daemon', (c) => c.run('INSERT INTO ballast VALUES (?)', [written]));
    })();
    const { code } = await backup();
    busy = false;
    await writer;
    await daemon.db.writes.write('daemon', (connection) => connection.exec('DROP TABLE ballast'));
    expect(code).toBe(0);
    const connection = await openPlainConnection(target, { readOnly: true });
    const [numbers] = await connection.all<{ count: number; last: number }>(
      "SELECT count(*) AS count, max(body) AS last FROM ballast WHERE typeof(body) = 'integer'",
    );
    await connection.close();
    expect(numbers!.count).toBe((numbers!.last ?? -1) + 1);
    expect(written).toBeGreaterThan(numbers!.count);
  });

  test('says that it does not contain the master key, and where that is', async () => {
    const { out } = await backup();
    expect(out).toMatch(new RegExp(`^Backed up to .*: 1 account, \\d+\\.\\d MiB, schema ${SCHEMA_VERSION}\\.\\n`));
    expect(out).toContain(`The master key is not in it,`);
    expect(out).toContain(join(daemon.folder, 'master.key'));
    const key = (await readFile(join(daemon.folder, 'master.key'), 'utf8')).trim();
    const bytes = await readFile(target);
    expect(bytes.includes(key) || bytes.includes(Buffer.from(key, 'base64'))).toBe(false);
  });

  test('contains no key or token in plain text (row 24)', async () => {
    const link = await daemon.requestLink('bob@example.com');
    const token = new URL(link).searchParams.get('token')!;
    await backup();
    const bytes = await readFile(target);
    for (const secret of [apiKey, apiKey.slice('svc_live_'.length), token]) expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes('ada@example.com')).toBe(true);
  });

  test('contains no erased content, in rows or in the index', async () => {
    // The index stems words, and stores a prefix that two of them share only once.
    const [kept = '', gone = ''] = [8, 8].map((bytes) => randomBytes(bytes).toString('hex'));
    await remember(`kept${kept}zz stays`);
    const id = await remember(`gone${gone}zz leaves`);
    await daemon.call(apiKey, `/v1/memories/${id}`, { method: 'DELETE' });
    await backup();
    const bytes = (await readFile(target)).toString('latin1');
    expect(bytes).toContain(kept);
    expect(bytes).not.toContain(gone);
  });

  test('shows a progress line at a terminal and removes it at the end', async () => {
    await daemon.db.writes.write('daemon', (connection) =>
      connection.exec('CREATE TABLE ballast (body BLOB); INSERT INTO ballast VALUES (zeroblob(8000000))'),
    );
    const { error, failure } = await runAdminAtTerminal(daemon.folder, '', 'backup', target);
    await daemon.db.writes.write('daemon', (connection) => connection.exec('DROP TABLE ballast'));
    expect(failure).toBeUndefined();
    expect(error).toMatch(/█.* \d+ % copying the database/);
    expect(error).toContain('checking');
    expect(error.endsWith('\r\u001b[K')).toBe(true);
  });
});

describe('a backup is refused and changes nothing', () => {
  test('if the file exists; --force replaces it', async () => {
    await remember('Ada plays chess');
    await writeFile(target, 'mine');
    const refused = await backup();
    expect(refused.code).toBe(1);
    expect(refused.error).toContain('already exists');
    expect(await readFile(target, 'utf8')).toBe('mine');
    expect((await backup('--force')).code).toBe(0);
    expect(await contentsOf(target)).toContain('Ada plays chess');
    expect(await readdir(folder)).toEqual(['svc.db']);
  });

  test('if the file is the database itself, even with --force', async () => {
    for (const name of ['svc.db', 'svc.db-wal']) {
      const { code, error } = await runAdmin(daemon.folder, 'backup', join(daemon.folder, name), '--force');
      expect(code).toBe(1);
      expect(error).toContain('is the database itself');
    }
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
  });

  test('if the file is a pipe or a device, even with --force', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { code, error } = await runAdmin(daemon.folder, 'backup', pipe, '--force');
    expect([code, error]).toEqual([1, expect.stringContaining('is not a regular file')]);
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  test('if the file is a symbolic link, even with --force: what it points to stays', async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'mine');
    for (const pointsTo of [other, join(folder, 'missing')]) {
      await symlink(pointsTo, target);
      for (const options of [[], ['--force']]) {
        const { code, error } = await backup(...options);
        expect([code, error]).toEqual([1, expect.stringContaining('is a symbolic link')]);
      }
      expect([await readlink(target), await readFile(other, 'utf8')]).toEqual([pointsTo, 'mine']);
      await rm(target);
    }
    expect(await readdir(folder)).toEqual(['other']);
  });

  test('if the file is a folder, even with --force', async () => {
    const { code, error } = await runAdmin(daemon.folder, 'backup', folder, '--force');
    expect(code).toBe(1);
    expect(error).toBe(`svc: ${folder} cannot be written (rename: EISDIR).\n`);
    expect(await readdir(folder)).toEqual([]);
    expect((await readdir(join(folder, '..'))).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  test('if it is interrupted', async () => {
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('Stopped.'));
    const stopped = backUp(daemonConfig(), target, { force: false, onProgress, signal: stop.signal });
    await expect(stopped).rejects.toThrow('Stopped.');
    expect(await readdir(folder)).toEqual([]);
  });

  test('if the folder is missing', async () => {
    const { code, error } = await runAdmin(daemon.folder, 'backup', join(folder, 'missing', 'svc.db'));
    expect(code).toBe(1);
    expect(error).toContain('cannot be written (ENOENT)');
  });
});

describe('a backup of a corrupt database', () => {
  test('is refused and writes nothing', async () => {
    const broken = await startTestDaemon();
    await broken.signIn('ada@example.com');
    const memories = Array.from({ length: 20 }, (_, index) => ({ content: `memory ${index}` }));
    const key = (await broken.signIn('eve@example.com')).apiKey;
    await broken.call(key, '/v1/memories/batch', { body: { memories } });
    await broken.stop();
    const connection = await openConnection(join(broken.folder, 'svc.db'));
    await connection.exec('DELETE FROM memoryText WHERE rowid = 3');
    await connection.close();
    const { code, error } = await runAdmin(broken.folder, 'backup', target);
    expect(code).toBe(1);
    expect(error).toContain('is corrupt (memory 3 has no index entry)');
    expect(await readdir(folder)).toEqual([]);
    await broken.close();
  });
});
