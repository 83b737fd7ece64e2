import { chmod, copyFile, cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AccountContext } from '../../src/cli/account-context.ts';
import { doctorCommand } from '../../src/cli/commands/doctor.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { checkIntegrity } from '../../src/daemon/integrity-check.ts';
import { lastCheck } from '../../src/daemon/last-check.ts';
import { openConnection } from '../../src/db/connection.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { runAdmin } from '../helpers/admin-command.ts';
import { createCommandLine, keepProfile, type TestCommandLine } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';

const mayMount = await canMount();
const VERSION = '0.0.0-test';
const PARTS = ['Database', 'References', 'Search index', 'Vectors', 'Stored bytes'];
const RESTORE = 'stop the daemon, then svc admin restore BACKUP';
/** The data folder of a stopped daemon with an account of 100 memories, which each test has a copy of. */
let filled: TestDaemon;
let signedIn: Awaited<ReturnType<TestDaemon['signIn']>>;
let folder: string;
let running: TestDaemon | undefined;
let database: string;
let line: TestCommandLine;

beforeAll(async () => {
  filled = await startTestDaemon();
  signedIn = await filled.signIn('ada@example.com');
  const memories = Array.from({ length: 100 }, (_, index) => ({ content: `memory ${index} ${'tea '.repeat(200)}` }));
  await filled.call(signedIn.apiKey, '/v1/memories/batch', { body: { memories } });
  await filled.stop();
});
afterAll(() => filled.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-deep-'));
  await cp(filled.folder, folder, { recursive: true });
  database = join(folder, 'svc.db');
  line = await createCommandLine({ env: { SVC_DATA_DIR: folder }, columns: 300 });
  await signInAt(filled.baseUrl);
});
afterEach(async () => {
  await line.close();
  await running?.stop();
  running = undefined;
  await rm(folder, { recursive: true });
});

async function signInAt(url: string): Promise<void> {
  const profile = { url, email: 'ada@example.com', tenantId: signedIn.account.tenantId };
  await keepProfile(line, 'default', { ...profile, keyStore: 'keychain' }, signedIn.apiKey);
}

/** Starts a daemon on the folder, which the command line then uses. */
async function startDaemon(): Promise<TestDaemon> {
  running = await startTestDaemon({ dataDir: folder });
  await signInAt(running.baseUrl);
  return running;
}

const run = (...words: string[]) =>
  line.run(
    (context: AccountContext) => doctorCommand(context, { version: VERSION, script: import.meta.filename }),
    ...words,
  );
const deep = (...words: string[]) => run('--deep', '--data-dir', folder, ...words);

async function findings(...words: string[]) {
  const { out, exitCode } = await run('--json', '--data-dir', folder, ...words);
  const { data } = JSON.parse(out) as { data: Finding[] };
  return { exitCode, found: Object.fromEntries(data.map(({ check, ...rest }) => [check, rest])) };
}

/** Overwrites pages in the middle of the database file. */
async function damage() {
  const sound = await readFile(database);
  const bytes = Buffer.from(sound);
  const half = Math.floor(bytes.length / 2 / 4096) * 4096;
  bytes.fill(0xa5, half, half + 4 * 4096);
  await writeFile(database, bytes);
  return { sound, bytes };
}

describe('svc doctor --deep', () => {
  test('reports each part of a sound database beside a running daemon', async () => {
    const daemon = await startDaemon();
    const { exitCode, out, error } = await deep();
    expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
    expect(out).toMatch(/✓ Database +[\d.]+ [KM]iB; every page can be read, and every index fits its rows\n/);
    for (const part of PARTS) expect(out).toContain(`✓ ${part} `);
    expect(out.trimEnd().split('\n').at(-1)).toBe('No problems found.');
    const added = await daemon.call(signedIn.apiKey, '/v1/memories', { body: { content: 'Ada prefers coffee' } });
    expect(added.status).toBe(201);
  });

  test('waits for no writer, and no writer for it', async () => {
    const daemon = await startDaemon();
    expect(await daemon.db.writes.write('daemon', () => checkIntegrity(daemon.config))).toEqual([]);
  });

  test('ends before its next step when it is canceled', async () => {
    const stop = new AbortController();
    const steps: string[] = [];
    const onStep = (what: string) => {
      steps.push(what);
      if (what === 'the table memories') stop.abort(new Error('The daemon stopped.'));
    };
    await expect(
      checkIntegrity({ ...filled.config, dataDir: folder }, { onStep, signal: stop.signal }),
    ).rejects.toThrow('The daemon stopped.');
    expect(steps).toContain('pages');
    expect(steps.at(-1)).toBe('the table memories');
    expect(await lastCheck(folder)).toBeUndefined();
  });

  test('names the memory that the search index lost, and how to get it back', async () => {
    const connection = await openConnection(database);
    await connection.exec('DELETE FROM memoryText WHERE rowid = 3');
    await connection.close();
    const { exitCode, found } = await findings('--deep');
    expect(exitCode).toBe(1);
    expect(found['Search index']).toEqual({
      state: 'problem',
      message: 'memory 3 has no index entry',
      fix: 'stop the daemon, then svc admin reindex',
    });
    expect(found.Database).toMatchObject({ state: 'ok' });
    expect(found.Vectors).toMatchObject({ state: 'ok' });
  });

  test.each([
    ['lost rows', 'DELETE FROM memoryText WHERE rowid <= 90'],
    ['has rows of none', 'UPDATE memoryText_docsize SET id = id + 1000 WHERE id > 90'],
    ['is corrupt', 'DELETE FROM memoryText_data WHERE id > 10'],
  ])('an index that %s is made anew by svc admin reindex', async (_, spoil) => {
    const connection = await openConnection(database);
    await connection.exec(spoil);
    await connection.close();
    const { found } = await findings('--deep');
    expect(found.Database).toMatchObject({ state: 'ok' });
    expect(found['Search index']).toMatchObject({ fix: 'stop the daemon, then svc admin reindex' });
    expect(await runAdmin(folder, ['reindex'])).toMatchObject({
      ...{ code: 0, error: '' },
      out: 'Indexed 100 texts. Start the daemon again.\n',
    });
    expect((await findings('--deep')).found['Search index']).toMatchObject({ state: 'ok' });
    const again = await startTestDaemon({ dataDir: folder });
    const answer = await again.call<{ results: unknown[] }>(signedIn.apiKey, '/v1/search', {
      body: { query: 'memory 3 tea' },
    });
    expect(answer.body.results).not.toEqual([]);
    await again.stop();
  });

  test('svc admin reindex empties all indices or none', async () => {
    const connection = await openConnection(database);
    await connection.exec(`DELETE FROM memoryText_data WHERE id > 10;
      INSERT INTO textsToIndex (tenantId, type, number) VALUES ('ten_gone', 'episode', 1);
      CREATE TRIGGER broken BEFORE DELETE ON textsToIndex BEGIN SELECT raise(ABORT, 'the power failed'); END`);
    expect(await runAdmin(folder, ['reindex'])).toMatchObject({ code: 1, out: '' });
    expect(await connection.get('SELECT count(*) AS left FROM textsToIndex')).toEqual({ left: 1 });
    await connection.close();
  });

  test('a daemon that finds its index corrupt at the start names svc admin reindex', async () => {
    const connection = await openConnection(database);
    await connection.exec('DELETE FROM memoryText_data WHERE id > 10');
    await connection.close();
    await expect(startTestDaemon({ dataDir: folder })).rejects.toThrow(
      /svc\.db is corrupt \(fts5: .*\)\. Run svc admin reindex; the file was not changed\.$/,
    );
  });

  test('svc admin reindex is refused while a daemon runs on the folder, and for a file that is corrupt elsewhere', async () => {
    const lock = await lockFolder(folder, process.pid);
    expect(await runAdmin(folder, ['reindex'])).toMatchObject({ code: 1, out: '' });
    await lock.release();
    const { bytes } = await damage();
    const { code, error } = await runAdmin(folder, ['reindex']);
    expect(code).toBe(1);
    expect(error).toMatch(/svc\.db is corrupt \(.*\)\. Restore a backup; the file was not changed\.\n$/s);
    expect((await readFile(database)).equals(bytes)).toBe(true);
  });

  test('shows the first problems of many, and where the others are listed', async () => {
    const connection = await openConnection(database);
    await connection.exec('DELETE FROM memoryText WHERE rowid <= 5');
    await connection.close();
    const { found } = await findings('--deep');
    expect(found['Search index']!.message).toBe(
      `${[1, 2, 3].map((number) => `memory ${number} has no index entry`).join('; ')}; 2 more problems, which svc admin check lists`,
    );
  });

  test('reports overwritten pages, checks nothing that relies on them, and does not change the file', async () => {
    const { bytes } = await damage();
    const { exitCode, found } = await findings('--deep');
    expect(exitCode).toBe(1);
    expect(found.Database).toMatchObject({ state: 'problem', fix: RESTORE });
    expect(found).not.toHaveProperty('Search index');
    expect((await readFile(database)).equals(bytes)).toBe(true);
  });

  test('keeps its other findings if a setting of the daemon is invalid', async () => {
    await startDaemon();
    vi.stubEnv('SVC_QUOTAS', 'C');
    const { exitCode, found } = await findings('--deep').finally(() => vi.unstubAllEnvs());
    expect(exitCode).toBe(1);
    expect(found).toMatchObject({ Daemon: { state: 'ok' }, 'Data folder': { state: 'ok' } });
    expect(found["Daemon's settings"]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('SVC_QUOTAS must be one of A, B'),
    });
  });

  test.skipIf(!mayMount)('advises space on a full disk, and no mode on one that is read-only', async () => {
    const disk = await mountSmallDisk(8);
    try {
      await copyFile(database, join(disk.folder, 'svc.db'));
      await chmod(disk.folder, 0o777);
      await disk.fill();
      const full = await findings('--deep', '--data-dir', disk.folder);
      expect(full.found.Database).toMatchObject({ state: 'problem', fix: 'free some space on that disk' });
      await execa('mount', ['-o', 'remount,ro', disk.folder]);
      const { found } = await findings('--deep', '--data-dir', disk.folder);
      expect(found['Data folder']).toEqual({
        state: 'problem',
        message: `${disk.folder} is on a read-only file system: the daemon can store nothing`,
        fix: 'check that disk, and mount it writable',
      });
      expect(found.Database!.message).toContain('is on a read-only file system. Mount it writable');
    } finally {
      await disk.unmount();
    }
  });

  test('reports a folder without a database', async () => {
    await startDaemon();
    const { exitCode, out } = await run('--deep', '--data-dir', line.folder);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✗ Database +problem: There is no svc database in .*\. Start svc serve once/);
  });
});

describe('svc doctor', () => {
  test('reports a problem that the last whole check found, until another finds none', async () => {
    const { sound } = await damage();
    await deep();
    const { exitCode, found } = await findings();
    expect(exitCode).toBe(1);
    expect(found.Database).toMatchObject({ state: 'problem', fix: 'svc doctor --deep' });
    expect(found.Database!.message).toMatch(/^the last whole check, just now, found \d+ problems?$/);
    await writeFile(database, sound);
    await deep();
    expect((await findings()).found).not.toHaveProperty('Database');
  });

  test('does not report problems of a database that was replaced by a backup', async () => {
    const backup = join(line.folder, 'backup.db');
    expect(await runAdmin(folder, ['backup', backup])).toMatchObject({ code: 0 });
    await damage();
    await deep();
    expect(await runAdmin(folder, ['restore', backup, '--yes'])).toMatchObject({ code: 0 });
    expect((await findings()).found).not.toHaveProperty('Database');
    expect((await findings('--deep')).found.Database).toMatchObject({ state: 'ok' });
  });

  test('recommends a whole check of a database that is too large to check at each start, until it was checked', async () => {
    expect((await findings()).found).not.toHaveProperty('Database');
    await truncate(database, 65 * 2 ** 20);
    const message = '65 MiB; last checked as a whole: not known';
    expect((await findings()).found.Database).toEqual({ state: 'ok', message, fix: 'svc doctor --deep' });
    await writeFile(join(folder, 'last-check'), `${new Date().toISOString()} 0\n`);
    const checked = '65 MiB; last checked as a whole: just now';
    expect((await findings()).found.Database).toEqual({ state: 'ok', message: checked });
  });
});
