import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { MIGRATION_LOCK, migratePostgres } from '../../src/db/postgres/migrate.ts';
import { openPostgres, type PostgresOptions } from '../../src/db/postgres/open.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

const NAME = 'starts';
const log = { info() {}, warn() {}, error() {} };
const options: PostgresOptions = {
  readerCount: 1,
  monotonicMs: () => performance.now(),
  machineNowMs: Date.now,
  log,
};

afterEach(() => dropDatabase(inject('postgres').adminUrl, NAME));

async function run(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

test('of three daemons that start at once on an empty database one migrates, and all serve (row 90)', async () => {
  const databaseUrl = await ensureDatabase(inject('postgres').adminUrl, NAME);
  const daemons = await Promise.all([1, 2, 3].map(() => startTestDaemon({ databaseUrl })));
  try {
    const { apiKey } = await daemons[0]!.signIn('ada@example.com');
    for (const [index, daemon] of daemons.entries()) {
      const made = await daemon.call(apiKey, '/v1/memories', { body: { content: `Ada has ${index} cats` } });
      expect(made.status).toBe(201);
    }
    for (const daemon of daemons) {
      expect((await daemon.call<{ data: unknown[] }>(apiKey, '/v1/memories')).body.data).toHaveLength(3);
    }
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.close()));
  }
});

test('a daemon serves the schema of the next version beside the daemon that made it, and no later one (row 90)', async () => {
  const url = await ensureDatabase(inject('postgres').adminUrl, NAME);
  await migratePostgres(url);
  const setVersion = (version: number) => run(url, `UPDATE "schemaVersion" SET version = ${version}`);

  await setVersion(SCHEMA_VERSION + 1);
  await migratePostgres(url);
  const db = await openPostgres(url, options);
  await db.close();

  await setVersion(SCHEMA_VERSION + 2);
  await expect(openPostgres(url, options)).rejects.toThrow('Install the newer svc');
  await setVersion(SCHEMA_VERSION - 1);
  await expect(openPostgres(url, options)).rejects.toThrow('Start the daemon once');
});

test('a start on a migrated database does not wait for the lock under which daemons migrate', async () => {
  const url = await ensureDatabase(inject('postgres').adminUrl, NAME);
  await migratePostgres(url);
  const other = new pg.Client(url);
  await other.connect();
  try {
    await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migratePostgres(url);
  } finally {
    await other.end();
  }
});

test('a daemon that waited for another to migrate an empty database does not migrate it again', async () => {
  const url = await ensureDatabase(inject('postgres').adminUrl, NAME);
  const other = new pg.Client(url);
  await other.connect();
  try {
    await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const migrating = migratePostgres(url);
    const waiting = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = $1 AND l.locktype = 'advisory' AND NOT l.granted`;
    await expect.poll(async () => (await other.query(waiting, [NAME])).rowCount).toBe(1);
    await other.query(`CREATE TABLE "schemaVersion" AS SELECT ${SCHEMA_VERSION} AS version`);
    await other.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await migrating;
  } finally {
    await other.end();
  }
});

test('leaves a database alone in which svc may not create tables, and reports why', async () => {
  const url = await ensureDatabase(inject('postgres').adminUrl, NAME);
  const admin = new URL(inject('postgres').adminUrl);
  admin.pathname = NAME;
  await run(admin.href, `ALTER DATABASE ${NAME} OWNER TO postgres; REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
  await run(admin.href, 'ALTER SCHEMA public OWNER TO postgres');
  await expect(migratePostgres(url)).rejects.toThrow('Make the user the owner of the database');
});

test.each([
  ['nobody listens', (url: URL) => (url.port = '1'), 'cannot be reached (ECONNREFUSED)'],
  ['the password is wrong', (url: URL) => (url.password = 'wrong'), 'Check the user and the password.'],
  ['the database does not exist', (url: URL) => (url.pathname = 'nowhere'), 'Create the database first'],
])('if %s, the start fails with what to do and without the password', async (_, spoil, says) => {
  const url = new URL(await ensureDatabase(inject('postgres').adminUrl, NAME));
  spoil(url);
  const error = await migratePostgres(url.href).catch((fault: Error) => fault);
  expect(String(error)).toContain(says);
  expect(String(error)).not.toContain(`:${url.password}@`);
});
