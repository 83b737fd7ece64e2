import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkIntegrity } from '../../src/daemon/integrity-check.ts';
import { moveDatabase } from '../../src/daemon/move.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { type PgBouncer, startPgBouncer } from '../helpers/postgres/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts';
import { allRows, configOf, QUIET } from '../postgres/moving/move-ends.ts';

/** The least that docs/scale.md asks for: a move holds two sessions while a third writes. */
const POOL_SIZE = 4;
const MEMORIES = 300;

let server: PostgresServer;
let bouncer: PgBouncer;
const folders: string[] = [];

beforeAll(async () => {
  server = await startPostgres();
  bouncer = await startPgBouncer({ serverPort: server.port, poolSize: POOL_SIZE });
});
afterAll(async () => {
  await bouncer?.close();
  await server?.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-move-'));
  folders.push(folder);
  return folder;
}

test('a database moves through PgBouncer in transaction mode, there and back while a daemon serves', async () => {
  const folder = await newFolder();
  const config = { masterKeys: [MASTER_KEY], defaultTier: 'Enterprise' as const };
  const daemon = await startTestDaemon({ dataDir: folder, config: { ...config, databaseUrl: undefined } });
  const { apiKey } = await daemon.signIn('ada@example.com');
  const memories = Array.from({ length: MEMORIES }, (_, index) => ({ content: `Ada found shell number ${index}.` }));
  const added = await daemon.call(apiKey, '/v1/memories/batch', { body: { memories } });
  expect(added.status).toBeLessThan(300);
  await daemon.stop();

  const databaseUrl = await server.createDatabase();
  const url = bouncer.urlOf(databaseUrl);
  await moveDatabase(configOf(folder), { url }, QUIET);
  expect((await allRows({ url })).memories).toHaveLength(MEMORIES);

  const next = await startTestDaemon({ dataDir: await newFolder(), databaseUrl: url, config });
  const found = await next.call(apiKey, '/v1/search', { body: { query: 'shell number 7' } });
  expect(found.text).toContain('Ada found shell number 7.');
  const back = await newFolder();
  const moving = moveDatabase(configOf(back, { databaseUrl: url }), 'sqlite', QUIET);
  let served = 0;
  for (let isMoving = true; isMoving; served += 1) {
    const read = await next.call(apiKey, '/v1/memories?limit=1');
    expect(read.status, read.text).toBe(200);
    isMoving = await Promise.race([moving.then(() => false), new Promise<boolean>((go) => setTimeout(go, 20, true))]);
  }
  expect(served).toBeGreaterThan(1);
  await next.stop();
  expect((await allRows({ file: join(back, 'svc.db') })).memories).toHaveLength(MEMORIES);
  expect(await checkIntegrity(configOf(back))).toEqual([]);
});
