import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openConnection, openPlainConnection } from '../../src/db/connection.ts';
import { holdWriteLock } from '../db/lock-holder.ts';
import { runAdmin } from '../helpers/admin-command.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { BIN, createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

const places = createWorkplaces();
afterEach(places.clean);

const admin = (dataDir: string, ...words: string[]) => runAdmin(dataDir, words);

const addresses = async (dataDir: string) =>
  (await admin(dataDir, 'tenants', '--json')).json<{ email: string; tier: string }[]>().map(({ email }) => email);

describe('svc admin without a running daemon', () => {
  let folder: string;
  let tenantId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-admin-'));
    const daemon = await startTestDaemon({ dataDir: folder });
    tenantId = (await daemon.signIn('ada@example.com')).account.tenantId;
    const { apiKey } = await daemon.signIn('bob@example.com');
    await daemon.call(apiKey, '/v1/memories', { body: { content: 'Bob likes tea' } });
    await daemon.stop();
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('tenants: lists newest first, as text and as JSON', async () => {
    const { code, json } = await admin(folder, 'tenants', '--json');
    expect(code).toBe(0);
    const tenants = json<Record<string, string>[]>();
    expect(tenants).toHaveLength(2);
    expect(tenants[1]).toEqual({
      tenantId,
      email: 'ada@example.com',
      tier: 'Free',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    const text = await admin(folder, 'tenants');
    expect(text.out).toMatch(/^\d{4}-\d\d-\d\d +Free +ten_[0-9a-f]{32} +bob@example\.com\n.*ada@example\.com\n$/);
  });

  test('tier: changes one account, however its address is spelled', async () => {
    const { json } = await admin(folder, 'tier', ' Ada@Example.COM', 'pro', '--json');
    expect(json()).toEqual({ email: 'ada@example.com', tier: 'Pro' });
    const tenants = (await admin(folder, 'tenants', '--json')).json<{ email: string; tier: string }[]>();
    expect(tenants.map(({ tier }) => tier)).toEqual(['Free', 'Pro']);
    const unknown = await admin(folder, 'tier', 'nobody@example.com', 'Pro');
    expect(unknown).toMatchObject({ code: 1, out: '', error: 'svc: No account found for nobody@example.com.\n' });
  });

  test('spaces: lists what accounts share, and makes a space for one', async () => {
    expect((await admin(folder, 'spaces')).out).toMatch(/^No spaces yet\./);
    const made = await admin(folder, 'spaces', 'create', 'team', '--owner', 'ada@example.com', '--json');
    expect(made.json()).toMatchObject({ name: 'team', owner: 'ada@example.com' });
    const [space] = (await admin(folder, 'spaces', '--json')).json<Record<string, unknown>[]>();
    expect(space).toMatchObject({ name: 'team', tier: 'Pro', members: 1, storedBytes: 0 });
    expect(await addresses(folder)).toEqual(['bob@example.com', 'ada@example.com']);
    const unknown = await admin(folder, 'spaces', 'create', 'team', '--owner', 'nobody@example.com');
    expect(unknown).toMatchObject({ code: 1, error: 'svc: No account found for nobody@example.com.\n' });
  });

  test('invite, invitations, withdraw', async () => {
    expect((await admin(folder, 'invitations')).out).toBe('No open invitations.\n');
    expect((await admin(folder, 'invite', 'eve@example.com', '--json')).json()).toEqual({ invited: 'eve@example.com' });
    expect((await admin(folder, 'invite', 'eve@example.com')).code).toBe(0);
    expect((await admin(folder, 'invitations', '--json')).json()).toEqual([
      { email: 'eve@example.com', createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect((await admin(folder, 'withdraw', 'eve@example.com', '--json')).json()).toEqual({
      withdrawn: 'eve@example.com',
    });
    const again = await admin(folder, 'withdraw', 'eve@example.com');
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.error).toContain('no open invitation');
    expect((await admin(folder, 'invitations', '--json')).json()).toEqual([]);
  });

  test('erase: erases one account completely, and only with --yes', async () => {
    expect((await admin(folder, 'erase', 'bob@example.com')).code).toBe(2);
    expect(await addresses(folder)).toContain('bob@example.com');
    expect((await admin(folder, 'erase', 'bob@example.com', '--yes', '--json')).json()).toEqual({
      erased: 'bob@example.com',
    });
    expect(await addresses(folder)).toEqual(['ada@example.com']);
    expect((await admin(folder, 'erase', 'bob@example.com', '--yes')).code).toBe(1);
    expect((await readFile(join(folder, 'svc.db'))).includes('Bob likes tea')).toBe(false);
  });

  test('check: reports a sound database', async () => {
    expect(await admin(folder, 'check')).toMatchObject({ code: 0, out: 'The database is sound.\n', error: '' });
    expect((await admin(folder, 'check', '--json')).json()).toEqual({ sound: true, problems: [] });
  });

  test('leaves no log and no master key behind', async () => {
    await rm(join(folder, 'master.key'));
    await admin(folder, 'tenants');
    const names = await readdir(folder);
    expect(names.filter((name) => /-(wal|shm)$|\.new$|^master/.test(name))).toEqual([]);
  });
});

describe('svc admin check on a corrupt database', () => {
  let daemon: TestDaemon;

  beforeEach(async () => {
    daemon = await startTestDaemon();
    const { apiKey } = await daemon.signIn('ada@example.com');
    const memories = Array.from({ length: 100 }, (_, index) => ({ content: `memory ${index} ${'tea '.repeat(200)}` }));
    await daemon.call(apiKey, '/v1/memories/batch', { body: { memories } });
    await daemon.stop();
  });

  afterEach(() => daemon.close());

  test('reports rows without index entries and index entries without rows', async () => {
    const connection = await openConnection(join(daemon.folder, 'svc.db'));
    await connection.exec('DELETE FROM memoryText WHERE rowid = 3; DELETE FROM memories WHERE number = 5');
    await connection.close();
    const { code, json } = await admin(daemon.folder, 'check', '--json');
    expect(code).toBe(1);
    expect(json()).toEqual({ sound: false, problems: ['memory 3 has no index entry', 'memory 5 has no row entry'] });
  });

  test('reports overwritten pages', async () => {
    const file = join(daemon.folder, 'svc.db');
    const bytes = await readFile(file);
    const half = Math.floor(bytes.length / 2 / 4096) * 4096;
    bytes.fill(0xa5, half, half + 4 * 4096);
    await writeFile(file, bytes);
    const partly = await admin(daemon.folder, 'check', '--json');
    expect(partly.code).toBe(1);
    expect(partly.json<{ problems: string[] }>().problems.length).toBeGreaterThan(0);
    bytes.fill(0xa5, 100);
    await writeFile(file, bytes);
    const wholly = await admin(daemon.folder, 'check', '--json');
    expect(wholly.code).toBe(1);
    expect(wholly.json()).toMatchObject({ sound: false });
    expect(await readFile(file)).toHaveLength(bytes.length);
  });
});

describe('svc admin without a usable database', () => {
  test('says what to do about a missing folder or database, and creates nothing', async () => {
    const folder = await places.folder();
    for (const dataDir of [folder, join(folder, 'missing')]) {
      for (const words of [['tenants'], ['check'], ['erase', 'ada@example.com', '--yes']]) {
        const { code, out, error } = await admin(dataDir, ...words);
        expect({ code, out }).toEqual({ code: 1, out: '' });
        expect(error).toBe(`svc: There is no svc database in ${dataDir}. Start svc serve once, or set SVC_DATA_DIR.\n`);
      }
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test('leaves an older schema to the daemon', async () => {
    const daemon = await startTestDaemon();
    await daemon.stop();
    const connection = await openPlainConnection(join(daemon.folder, 'svc.db'));
    await connection.exec('PRAGMA user_version = 1');
    await connection.close();
    const { code, error } = await admin(daemon.folder, 'tenants');
    expect(code).toBe(1);
    expect(error).toMatch(/has schema 1; .*Start the daemon once/);
    await daemon.close();
  });
});

describe('svc admin beside a running daemon', () => {
  test('a new tier applies to the next request, and an erased account’s key stops working, while the daemon keeps running', async () => {
    const dataDir = await places.folder();
    const daemon = await startTestDaemon({ dataDir });
    const beside = (...words: string[]) => runCommand({ dataDir, args: ['admin', ...words, '--json'] });
    const { apiKey } = await daemon.signIn('ada@example.com');
    const limit = async () => (await daemon.call(apiKey, '/v1/account')).headers.get('x-ratelimit-limit');
    expect(await limit()).toBe('120');
    expect(await beside('tier', 'ada@example.com', 'Pro')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await limit()).toBe('600');
    expect(JSON.parse((await beside('check')).stdout)).toEqual({ sound: true, problems: [] });
    expect((await beside('erase', 'ada@example.com', '--yes')).exitCode).toBe(0);
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(401);
    const again = await daemon.signIn('ada@example.com');
    expect(again.account.tier).toBe('Free');
    await daemon.stop();
  });

  test('works while the daemon is suspended (SIGSTOP)', async () => {
    const dataDir = await places.folder();
    const daemon = await places.start({ dataDir });
    const apiKey = await signInAt(daemon, 'ada@example.com');
    daemon.kill('SIGSTOP');
    const { exitCode, stdout } = await runCommand({ dataDir, args: ['admin', 'tier', 'ada@example.com', 'Pro'] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'ada@example.com is on Pro now.\n' });
    daemon.kill('SIGCONT');
    const answer = await fetch(`${daemon.url}/v1/account`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer.headers.get('x-ratelimit-limit')).toBe('600');
  });

  test('while a suspended process holds the write lock, reads work, and writes give up and say why', async () => {
    const daemon = await startTestDaemon();
    await daemon.signIn('ada@example.com');
    await daemon.stop();
    const holder = await holdWriteLock(join(daemon.folder, 'svc.db'));
    try {
      holder.stop();
      expect(await addresses(daemon.folder)).toEqual(['ada@example.com']);
      const { code, error } = await admin(daemon.folder, 'invite', 'eve@example.com');
      expect({ code, error }).toEqual({
        code: 1,
        error: 'svc: Another process has locked the database. Try again in a moment.\n',
      });
    } finally {
      await holder.end();
    }
    expect((await admin(daemon.folder, 'invite', 'eve@example.com')).code).toBe(0);
    await daemon.close();
  });
});

describe('the output of svc admin', () => {
  test('thousands of lines pass through a slow pipe completely', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-many-'));
    const daemon = await startTestDaemon({ dataDir: folder });
    await daemon.db.writes.write('daemon', (connection) =>
      connection.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO invitations SELECT 'person-' || i || '@a-rather-long-domain-of-a-company.example.com', i FROM n`),
    );
    await daemon.stop();
    const script = `"${process.execPath}" "${BIN}" admin invitations --json | (sleep 2; cat)`;
    const env = { SVC_DATA_DIR: folder };
    const { stdout } = await execa('sh', ['-c', script], { env, cwd: folder });
    expect(JSON.parse(stdout)).toHaveLength(5000);
    await daemon.close();
  });
});
