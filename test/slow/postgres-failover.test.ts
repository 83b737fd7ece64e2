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

test('a synchronous standby that takes over has every acknowledged write, and the daemons recover without help (row 86)', async () => {
  const primary = await startPostgres({ isDurable: true });
  places.endLater({ end: primary.close });
  const databaseUrl = await primary.createDatabase();
  const standby = await startPostgres({ isDurable: true, standbyOf: primary.adminUrl });
  places.endLater({ end: standby.close });
  await waitForStandby(primary.adminUrl);
  const relay = await startTcpRelay(primary.port);
  places.endLater({ end: () => relay.close() });

  const env = {
    SVC_DATABASE_URL: databaseUrl.replace(`:${primary.port}/`, `:${relay.port}/`),
    SVC_MASTER_KEY: MASTER_KEY.toString('base64'),
    SVC_DEFAULT_TIER: 'Enterprise',
  };
  const daemons: DaemonProcess[] = [];
  for (let count = 0; count < 2; count += 1) daemons.push(await places.start({ dataDir: await places.folder(), env }));
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
