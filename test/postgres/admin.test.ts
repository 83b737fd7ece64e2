import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withRooms } from '../../src/daemon/admin.ts';
import { backUp } from '../../src/daemon/backup.ts';
import { readConfig } from '../../src/daemon/config.ts';
import type { Config } from '../../src/daemon/config-settings.ts';
import { checkIntegrity } from '../../src/daemon/integrity-check.ts';
import { rotateMasterKey } from '../../src/daemon/key-rotation.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { databaseOf, MASTER_KEY } from '../helpers/postgres/folder-databases.ts';

let daemon: TestDaemon;
let config: Config;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const databaseUrl = await databaseOf(daemon.folder);
  config = { ...readConfig({ dataDir: join(daemon.folder, 'admin') }, {}, ''), databaseUrl, masterKeys: [MASTER_KEY] };
});
afterAll(() => daemon.close());

test('admin commands work on the database of running daemons', async () => {
  const { apiKey, account } = await daemon.signIn('ada@example.com');
  const made = await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada prefers tea' } });
  expect(made.status).toBe(201);
  expect(await checkIntegrity(config)).toEqual([]);
  await withRooms(config, ({ accounts }) => accounts.setTier(account.tenantId, 'Pro'));
  const changed = await daemon.call(apiKey, '/v1/account');
  expect(changed.body).toMatchObject({ tenantId: account.tenantId, tier: 'Pro' });
});

test('a check of the database waits for no daemon, and no daemon for it', async () => {
  expect(await daemon.db.writes.write('daemon', () => checkIntegrity(config))).toEqual([]);
});

test('a backup refers to the tools of PostgreSQL', async () => {
  const options = { force: false, onProgress: () => {}, signal: new AbortController().signal };
  await expect(backUp(config, join(daemon.folder, 'copy.db'), options)).rejects.toThrow('Use pg_dump and pg_restore');
});

test('the master key is rotated while daemons serve', async () => {
  const next = randomBytes(32);
  const report = await rotateMasterKey(
    { ...config, masterKeys: [next, MASTER_KEY] },
    { lost: false, onProgress: () => {} },
  );
  expect(report).toMatchObject({ kept: 'SVC_MASTER_KEY' });
  const again = { ...config, masterKeys: [next] };
  expect(await rotateMasterKey(again, { lost: false, onProgress: () => {} })).toMatchObject({ lost: 0 });
});
