import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { startPostgres } from '../helpers/postgres/server.ts';
import { callAt, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';
import { startTcpRelay } from '../helpers/tcp-relay.ts';
import { expectStored, type Load, untilWritten, writeAll } from './acknowledged-writes.ts';

const WRITERS = 4;

const places = createWorkplaces();
afterEach(places.clean);

async function run(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Makes the primary acknowledge what its standby has applied, and no sooner. */
async function waitForStandby(adminUrl: string): Promise<void> {
  await run(adminUrl, `ALTER SYSTEM SET synchronous_commit = 'remote_apply'`);
  await run(adminUrl, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await run(adminUrl, 'SELECT pg_reload_conf()');
  await vi.waitFor(async () => {
    const { rows } = await run(adminUrl, 'SELECT sync_state FROM pg_stat_replication');
    expect(rows).toEqual([{ sync_state: 'sync' }]);
  }, 30_000);
}

async function startPair() {
  const primary = await startPostgres({ isDurable: true });
  places.endLater({ end: primary.close });
  const databaseUrl = await primary.createDatabase();
  const standby = await startPostgres({ isDurable: true, standbyOf: primary.adminUrl });
  places.endLater({ end: standby.close });
  return { primary, standby, databaseUrl };
}

function environment(databaseUrl: string): Record<string, string> {
  const masterKey = MASTER_KEY.toString('base64');
  return { SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: masterKey, SVC_DEFAULT_TIER: 'Enterprise' };
}

test('a synchronous standby that takes over has every acknowledged write, and the daemons recover without help (row 86)', async () => {
  const { primary, standby, databaseUrl } = await startPair();
  const relay = await startTcpRelay(primary.port);
  places.endLater({ end: () => relay.close() });

  const env = environment(databaseUrl.replace(`:${primary.port}/`, `:${relay.port}/`));
  const daemons: DaemonProcess[] = [];
  daemons.push(await places.start({ dataDir: await places.folder(), env }));
  expect(daemons[0]!.output.error).toContain('a standby that takes over can lack acknowledged writes');
  await waitForStandby(primary.adminUrl);
  daemons.push(await places.start({ dataDir: await places.folder(), env }));
  expect(daemons[1]!.output.error).not.toContain('can lack');
  const apiKey = await signInAt(daemons[0]!, 'ada@example.com');

  const load: Load = { written: [], refused: 0, stopping: false };
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    writeAll(load, () => daemons[index % 2]!.url, apiKey, `writer-${index}`),
  );
  await untilWritten(load, 60);
  await primary.kill();
  const atFailure = load.written.length;
  // Nothing is acknowledged, and nothing but 503 is answered, until the standby takes over.
  for (const { url } of daemons) {
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503), 10_000);
    const { status, headers } = await callAt(url, apiKey, '/v1/memories');
    expect([status, headers.has('retry-after')]).toEqual([503, true]);
  }
  await sleep(500);
  expect(load.written.length - atFailure).toBeLessThanOrEqual(WRITERS);
  await run(standby.adminUrl, 'SELECT pg_promote()');
  relay.leadTo(standby.port);

  await untilWritten(load, 60);
  load.stopping = true;
  await Promise.all(writers);
  for (const { url } of daemons) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  console.info(`${atFailure} acknowledged before the failover, ${load.written.length} in all, ${load.refused} refused`);
  await expectStored(load, daemons[0]!.url, databaseUrl.replace(`:${primary.port}/`, `:${standby.port}/`));
});

test('while its standby is away a write is not acknowledged and reads are served; when the standby is back, it is, and stored once', async () => {
  const { primary, standby, databaseUrl } = await startPair();
  await waitForStandby(primary.adminUrl);
  const daemon = await places.start({ dataDir: await places.folder(), env: environment(databaseUrl) });
  const apiKey = await signInAt(daemon, 'ada@example.com');
  const add = () =>
    callAt(daemon.url, apiKey, '/v1/memories', {
      body: { content: 'Ada has one telescope.' },
      headers: { 'idempotency-key': 'telescope' },
    });
  await standby.kill();
  let answered = false;
  const pending = add().finally(() => {
    answered = true;
  });
  await vi.waitFor(async () => {
    const waiting = `SELECT COUNT(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    expect((await run(primary.adminUrl, waiting)).rows[0].count).toBeGreaterThan(0);
  });
  expect(await callAt(daemon.url, apiKey, '/v1/memories')).toMatchObject({ status: 200, body: { data: [] } });
  expect(answered).toBe(false);
  await standby.start();
  await pending;
  const stored = await vi.waitFor(async () => {
    const answer = await add();
    expect(answer.status).toBe(201);
    return answer.body;
  }, 30_000);
  const { body } = await callAt(daemon.url, apiKey, '/v1/memories');
  expect(body).toMatchObject({ data: [{ id: stored.id }] });
  expect(body.data).toHaveLength(1);
});
