import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts';
import { startRedis } from '../helpers/redis.ts';
import { startTcpRelay, type TcpRelay } from '../helpers/tcp-relay.ts';

// The servers and the faults that other tests rely on.

let server: PostgresServer;
let relay: TcpRelay;

beforeAll(async () => {
  server = await startPostgres({ isDurable: true });
  relay = await startTcpRelay(server.port);
});

afterAll(async () => {
  await relay.close();
  await server.close();
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  return client;
}

function throughRelay(url: string): string {
  return url.replace(`:${server.port}/`, `:${relay.port}/`);
}

test('a killed PostgreSQL starts again with every acknowledged commit', async () => {
  const url = await server.createDatabase();
  const client = await connect(url);
  await client.query('CREATE TABLE notes (number bigint)');
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const writing = (async () => {
    for (;;) {
      await client.query('INSERT INTO notes VALUES ($1)', [acknowledged + 1]);
      acknowledged += 1;
      if (acknowledged === 50) killed = server.kill();
    }
  })();
  await expect(writing).rejects.toThrow();
  // A session ends before the main process does.
  await killed;
  await server.start();

  const again = await connect(url);
  const { rows } = await again.query('SELECT max(number)::int AS newest FROM notes');
  await again.end();
  expect(rows[0].newest).toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBeGreaterThanOrEqual(50);
});

test('the role of svc owns its database and cannot pass row-level security', async () => {
  const client = await connect(await server.createDatabase());
  const { rows } = await client.query(
    `SELECT rolsuper, rolbypassrls, datdba = pg_roles.oid AS owns
     FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
  );
  await client.end();
  expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, owns: true }]);
});

test('the relay delays, holds back, cuts and refuses connections', async () => {
  const url = throughRelay(await server.createDatabase());
  const client = await connect(url);
  relay.disturb({ delayMs: 60 });
  const startedAt = performance.now();
  await client.query('SELECT 1');
  expect(performance.now() - startedAt).toBeGreaterThan(118);

  relay.disturb({ blackHole: true });
  const held = client.query('SELECT 2 AS held');
  const outcome = await Promise.race([held, new Promise((resolve) => setTimeout(resolve, 100, 'nothing'))]);
  expect(outcome).toBe('nothing');
  relay.disturb({});
  expect((await held).rows).toEqual([{ held: 2 }]);

  const waiting = client.query('SELECT pg_sleep(60)');
  relay.cut();
  await expect(waiting).rejects.toThrow();

  relay.disturb({ refuses: true });
  await expect(connect(url)).rejects.toThrow();
  relay.disturb({});
  await (await connect(url)).end();
});

test('a killed Redis starts again on its port, empty', async () => {
  const redis = await startRedis();
  await redis.kill();
  await redis.start();
  await redis.close();
});
