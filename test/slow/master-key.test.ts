import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderKey } from '../../src/contract/providers.ts';
import { readConfig } from '../../src/daemon/config.ts';
import type { Config } from '../../src/daemon/config-settings.ts';
import { rotateMasterKey } from '../../src/daemon/key-rotation.ts';
import { writeMasterKeys } from '../../src/daemon/master-key.ts';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { migrate } from '../../src/db/migrate.ts';
import { parseAllowedHost } from '../../src/outside/providers/provider-address.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { putKey } from '../features/providers/provider-daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';

const KEY = 'sk-test-0123456789abcdef';
const [FIRST, SECOND] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

let folder: string;
let server: ProviderServer;
let daemon: MemoryDaemon | undefined;
let caller: Caller;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-master-'));
  server = await startProviderServer('openai', { key: KEY });
});
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const hosts = () => ({ providerHosts: [parseAllowedHost('127.0.0.1')] });

async function start(config: Partial<Config> = {}): Promise<MemoryDaemon> {
  daemon = await startMemoryDaemon({ dataDir: folder, config: { ...hosts(), ...config } });
  if (caller) caller = createCaller(daemon.call, caller.apiKey, caller.tenantId);
  return daemon;
}

async function stop(): Promise<void> {
  await daemon?.stop();
  daemon = undefined;
}

/** Starts a daemon with one account that has a provider key. */
async function startWithKey(config: Partial<Config> = {}): Promise<MemoryDaemon> {
  const started = await start(config);
  caller = await started.account();
  expect((await putKey(caller, server, KEY)).status).toBe(200);
  return started;
}

const rotate = (config: Partial<Config> = {}, lost = false) =>
  rotateMasterKey({ ...readConfig({ dataDir: folder }, {}, ''), ...config }, { lost, onProgress: () => {} });
const masterKeyLines = async () => (await readFile(join(folder, 'master.key'), 'utf8')).trim().split('\n');
const validate = () => caller.call<ProviderKey>('/v1/provider-keys/openai/validate', { method: 'POST' });

describe('a wrong master key', () => {
  test('in the environment prevents the daemon from starting; the right one does not', async () => {
    await startWithKey({ masterKeys: [FIRST] });
    await stop();
    await expect(start({ masterKeys: [SECOND] })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/The master key does not match this database.*SVC_MASTER_KEY/s),
    });
    await start({ masterKeys: [SECOND, FIRST] });
    expect((await validate()).body.status).toBe('valid');
  });

  test('in the folder, or a missing one, prevents it from starting, and no new one is created', async () => {
    await startWithKey();
    await stop();
    const [own] = await masterKeyLines();
    await writeFile(join(folder, 'master.key'), `${SECOND.toString('base64')}\n`);
    await expect(start()).rejects.toMatchObject({ code: 'unprocessable' });
    await rm(join(folder, 'master.key'));
    await expect(start()).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await readdir(folder)).not.toContain('master.key');
    await writeFile(join(folder, 'master.key'), own!);
    await start();
    expect((await validate()).body.status).toBe('valid');
  });

  test('in the folder is accepted if no account has sealed secrets; one from the environment is refused', async () => {
    await start();
    caller = await daemon!.account();
    await caller.add('Ada lives in Bergen.');
    await stop();
    await writeFile(join(folder, 'master.key'), `${FIRST.toString('base64')}\n`);
    await start();
    expect(await caller.list()).toEqual(['Ada lives in Bergen.']);
    expect(daemon!.logLines.join('')).toContain('used another master key');
    await stop();
    await expect(start({ masterKeys: [SECOND] })).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('is accepted once the lost one is given up: provider keys must be entered again, everything else is kept', async () => {
    await startWithKey();
    await caller.add('Ada lives in Bergen.');
    await stop();
    await rm(join(folder, 'master.key'));
    await expect(rotate()).rejects.toMatchObject({ code: 'unprocessable', message: expect.stringContaining('--lost') });
    expect(await rotate({}, true)).toMatchObject({ lost: 2, rewrapped: 0, kept: 'master.key' });
    await start();
    expect((await caller.call<{ data: unknown[] }>('/v1/provider-keys')).body.data).toEqual([]);
    expect(await caller.list()).toEqual(['Ada lives in Bergen.']);
    expect((await putKey(caller, server, KEY)).status).toBe(200);
  });
});

describe('rotating the master key', () => {
  test('works beside a running daemon, which can use every provider key before and after', async () => {
    const running = await startWithKey();
    const [before] = await masterKeyLines();
    const report = await rotate();
    const after = await masterKeyLines();
    expect(report).toMatchObject({ rewrapped: 2, lost: 0, kept: 'master.key' });
    expect(after).toHaveLength(1);
    expect(after).not.toEqual([before]);
    expect((await validate()).body.status).toBe('valid');
    const other = await running.account();
    expect((await putKey(other, server, KEY)).status).toBe(200);
    await stop();
    await start();
    expect((await validate()).body.status).toBe('valid');
    await stop();
    await writeFile(join(folder, 'master.key'), before!);
    await expect(start()).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('continues with the same new key after a kill at any point', async () => {
    await startWithKey();
    await stop();
    const [before] = await masterKeyLines();
    await writeFile(join(folder, 'master.key'), `${SECOND.toString('base64')}\n${before}\n`);
    await start();
    expect((await validate()).body.status).toBe('valid');
    const { apiKey, account } = await daemon!.signIn('late@example.com');
    const late = createCaller(daemon!.call, apiKey, account.tenantId);
    expect((await putKey(late, server, KEY)).status).toBe(200);
    await stop();
    expect(await rotate()).toMatchObject({ rewrapped: 3 });
    expect(await masterKeyLines()).toEqual([SECOND.toString('base64')]);
    await start();
    expect((await validate()).body.status).toBe('valid');
  });

  test('in the environment takes the new key, a comma and the old key', async () => {
    await startWithKey({ masterKeys: [FIRST] });
    expect(await rotate({ masterKeys: [FIRST] })).toMatchObject({ rewrapped: 0 });
    await expect(rotate({ masterKeys: [SECOND] })).rejects.toMatchObject({ code: 'unprocessable' });
    await stop();
    await start({ masterKeys: [SECOND, FIRST] });
    expect(await rotate({ masterKeys: [SECOND, FIRST] })).toMatchObject({ rewrapped: 2, kept: 'SVC_MASTER_KEY' });
    expect((await validate()).body.status).toBe('valid');
    await stop();
    await start({ masterKeys: [SECOND] });
    expect((await validate()).body.status).toBe('valid');
    expect(await readdir(folder)).not.toContain('master.key');
  });

  test('a daemon without the new key reports that, and recovers once it has it', async () => {
    await startWithKey({ masterKeys: [FIRST] });
    await rotate({ masterKeys: [SECOND, FIRST] });
    expect((await validate()).status).toBe(503);
    expect((await validate()).text).toContain('restart svc with the new one');
    expect((await putKey(caller, server, KEY)).status).toBe(503);
    expect(await caller.add('Memories need no key.')).toMatchObject({ version: 1 });
    await stop();
    await start({ masterKeys: [SECOND] });
    expect((await validate()).body.status).toBe('valid');
  });

  test('is refused before the first start, and keeps the existing master key', async () => {
    await migrate(await ensureDatabaseFile(folder));
    await writeMasterKeys(folder, [FIRST]);
    await expect(rotate()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('svc serve') });
    expect(await masterKeyLines()).toContain(FIRST.toString('base64'));
    await startWithKey();
    expect(await rotate()).toMatchObject({ lost: 0 });
    expect(await masterKeyLines()).toHaveLength(1);
    expect((await validate()).body.status).toBe('valid');
  });

  test('runs in one process at a time', async () => {
    await startWithKey();
    const lock = await lockFolder(folder, process.pid, 'rotation');
    await expect(rotate()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('Wait for it') });
    await lock.release();
    expect(await rotate()).toMatchObject({ rewrapped: 2 });
    expect((await validate()).body.status).toBe('valid');
  });
});

describe('a sealed secret cannot be opened', () => {
  const write = (sql: string, values: (string | Buffer)[]) =>
    daemon!.db.writes.write('daemon', (connection) => connection.run(sql, values));

  async function expectUnusable(): Promise<void> {
    server.requests.length = 0;
    const answer = await validate();
    expect(answer.status, answer.text).toBe(503);
    expect(server.requests).toEqual([]);
    expect(daemon!.logLines.join('')).toContain('cannot unseal a secret');
    expect(daemon!.logLines.join('')).not.toContain(KEY);
  }

  test('in the row of another tenant', async () => {
    const running = await startWithKey();
    const other = await running.account();
    await putKey(other, server, KEY);
    await write(
      `UPDATE providerKeys SET sealed = (SELECT sealed FROM providerKeys WHERE tenantId = ?) WHERE tenantId = ?`,
      [other.tenantId, caller.tenantId],
    );
    await expectUnusable();
    const answer = await other.call<ProviderKey>('/v1/provider-keys/openai/validate', { method: 'POST' });
    expect(answer.body.status).toBe('valid');
  });

  test('with the data key of another tenant', async () => {
    const running = await startWithKey();
    const other = await running.account();
    await putKey(other, server, KEY);
    await write(`UPDATE dataKeys SET wrapped = (SELECT wrapped FROM dataKeys WHERE tenantId = ?) WHERE tenantId = ?`, [
      other.tenantId,
      caller.tenantId,
    ]);
    await expectUnusable();
  });

  test('for another base URL, even if the database says so', async () => {
    await startWithKey();
    const thief = await startProviderServer('openai');
    await write('UPDATE providerKeys SET baseUrl = ? WHERE tenantId = ?', [thief.baseUrl, caller.tenantId]);
    await expectUnusable();
    expect(thief.requests).toEqual([]);
    await thief.close();
  });

  test('as another version of the key', async () => {
    await startWithKey();
    await write('UPDATE providerKeys SET version = version + 1 WHERE tenantId = ?', [caller.tenantId]);
    await expectUnusable();
    expect((await putKey(caller, server, KEY)).status).toBe(200);
    expect((await validate()).body.status).toBe('valid');
  });
});
