import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { parseAllowedHost } from '../../src/outside/providers/provider-address.ts';
import { converse, extract, extracted, KEY, untilEnded } from '../features/extraction/extraction-daemon.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { putKey } from '../features/providers/provider-daemon.ts';
import { type PgBouncer, startPgBouncer } from '../helpers/postgres/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';

/** Fewer than a single daemon opens. */
const POOL_SIZE = 2;

let server: PostgresServer;
let bouncer: PgBouncer;
let databaseUrl: string;
let provider: ProviderServer;
/** Two daemons, which share the sessions too. */
let one: MemoryDaemon;
let other: MemoryDaemon;
let ada: Caller;
let bob: Caller;

beforeAll(async () => {
  server = await startPostgres();
  bouncer = await startPgBouncer({ serverPort: server.port, poolSize: POOL_SIZE });
  databaseUrl = await server.createDatabase();
  provider = await startProviderServer('openai', {
    key: KEY,
    answer: () => ({ memories: [extracted('Ada drinks tea.', [1])] }),
  });
  const config = { providerHosts: [parseAllowedHost('127.0.0.1')] };
  const through = { databaseUrl: bouncer.urlOf(databaseUrl), config };
  // Both migrate the empty database at once, through PgBouncer as well.
  [one, other] = await Promise.all([startMemoryDaemon(through), startMemoryDaemon(through)]);
  ada = await one.account();
  bob = await one.account();
});

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await Promise.all([bouncer?.close(), provider?.close()]);
  await server?.close();
});

const there = (caller: Caller) => createCaller(other.call, caller.apiKey, caller.tenantId);
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

async function countSessions(): Promise<number> {
  const client = new pg.Client(server.adminUrl);
  await client.connect();
  const count = 'SELECT COUNT(*)::int AS count FROM pg_stat_activity WHERE usename = $1';
  const { rows } = await client.query(count, ['svc']);
  await client.end();
  return rows[0].count;
}

test('two accounts at two daemons that share two sessions each find their own memories alone (row 87)', async () => {
  await times(20, async (index) => {
    const [mine, theirs] = index % 2 === 0 ? [ada, there(bob)] : [there(ada), bob];
    await Promise.all([
      mine.add(`Ada found shell number ${index}.`),
      theirs.add(`Bob found shell number ${index}.`),
      mine.find('Who found a shell?'),
      theirs.list(),
    ]);
  });
  expect(await countSessions()).toBeLessThanOrEqual(POOL_SIZE);
  const contents = (name: string) => Array.from({ length: 20 }, (_, index) => `${name} found shell number ${index}.`);
  await times(10, async () => {
    for (const [caller, name] of [
      [ada, 'Ada'],
      [there(bob), 'Bob'],
    ] as const) {
      const [listed, found] = await Promise.all([caller.list('?limit=100'), caller.find('Who found a shell?')]);
      expect(listed.toSorted()).toEqual(contents(name).toSorted());
      expect(found.length).toBeGreaterThan(0);
      for (const content of found) expect(content).toMatch(new RegExp(`^${name} `));
    }
  });
});

test('a query that forgets its tenant sees the rows of the one that asks; outside of a transaction it sees none', async () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const options = { readerCount: 4, monotonicMs: () => performance.now(), machineNowMs: Date.now, log };
  const db = await openPostgres(bouncer.urlOf(databaseUrl), options);
  const stray = new pg.Client(bouncer.urlOf(databaseUrl));
  await stray.connect();
  const all = 'SELECT tenantId FROM memories GROUP BY tenantId';
  try {
    await times(100, async (index) => {
      const { tenantId } = index % 2 === 0 ? ada : bob;
      expect(await db.readers.of(tenantId).all(all)).toEqual([{ tenantId }]);
      expect(await db.writes.write(tenantId, (connection) => connection.all(all))).toEqual([{ tenantId }]);
    });
    for (let count = 0; count < 20; count += 1) {
      expect((await stray.query('SELECT "tenantId" FROM memories')).rows).toEqual([]);
    }
  } finally {
    await stray.end();
    await db.close();
  }
});

test('a write that both daemons get several times at once under one idempotency key happens once', async () => {
  const content = 'Ada lost a shell.';
  const request = { body: { content }, headers: { 'idempotency-key': 'shell' } };
  const answers = await times(10, (index) => (index % 2 === 0 ? ada : there(ada)).call('/v1/memories', request));
  // 409 while the first is in progress.
  for (const { status, text } of answers) expect(status, text).toBeOneOf([201, 409]);
  expect((await ada.list('?limit=100')).filter((one) => one === content)).toHaveLength(1);
});

test('exports of two accounts at once contain what each stored, while memories are added', async () => {
  const exporting = [ada, there(bob)].map((caller) => caller.call('/v1/export'));
  await times(10, (index) => there(ada).add(`Ada saw crab number ${index}.`));
  const [ofAda, ofBob] = await Promise.all(exporting);
  expect([ofAda?.status, ofBob?.status]).toEqual([200, 200]);
  expect(ofAda?.text).toContain('Ada found shell number 7.');
  expect(ofAda?.text).not.toContain('Bob found');
  expect(ofBob?.text).toContain('Bob found shell number 7.');
  expect(ofBob?.text).not.toContain('Ada found');
});

test('jobs are leased and end', async () => {
  await putKey(ada, provider, KEY);
  provider.requests.length = 0;
  const jobs = await times(6, async (index) => {
    const caller = index % 2 === 0 ? ada : there(ada);
    return extract(caller, await converse(caller, [`I drink tea number ${index}.`]));
  });
  for (const jobId of jobs) expect(await untilEnded(there(ada), jobId)).toMatchObject({ state: 'done' });
  expect(provider.requests).toHaveLength(6);
});

test('both daemons are ready', async () => {
  for (const daemon of [one, other]) {
    expect((await daemon.call(undefined, '/readyz')).body).toMatchObject({ status: 'ready' });
  }
});
