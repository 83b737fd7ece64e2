import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { openConnection } from '../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

/** Tables of one engine alone; FTS5 has its own. */
const POSTGRES_ONLY = ['buckets', 'daemons', 'schemaVersion', 'textDocuments', 'textPostings'];
/** Texts of migrations for both engines, which are never sorted. */
const ONLY_EQUATED = ['name', 'owner'].map((column) => ({ table_name: 'leases', column_name: column }));
const FULL_TEXT = /^(memory|message|episode)Text/;

let client: pg.Client;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  client = new pg.Client(await ensureDatabase(adminUrl, 'schema', template));
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await dropDatabase(inject('postgres').adminUrl, 'schema');
});

async function rowsOf<T extends object>(sql: string): Promise<T[]> {
  return (await client.query<T>(sql)).rows;
}

/** Tables and columns, each with the sort of its values and whether it may be null. */
async function sqliteColumns(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-schema-'));
  const file = await ensureDatabaseFile(folder);
  await migrate(file);
  const connection = await openConnection(file, { readOnly: true });
  const columns = await connection.all<{ tableName: string; name: string; type: string; isRequired: number }>(
    `SELECT t.name AS tableName, c.name, c.type, c."notnull" OR c.pk > 0 AS isRequired
     FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  );
  await connection.close();
  await rm(folder, { recursive: true });
  return columns
    .filter(({ tableName }) => !FULL_TEXT.test(tableName))
    .map(({ tableName, name, type, isRequired }) =>
      columnOf(tableName, name, SORTS[type.toLowerCase()], isRequired === 1),
    )
    .sort();
}

const columnOf = (table: string, name: string, type: string | undefined, isRequired: boolean) =>
  `${table}.${name} ${type}${isRequired ? ' not null' : ''}`;

const SORTS: Record<string, string> = {
  text: 'text',
  integer: 'bigint',
  bigint: 'bigint',
  float: 'double precision',
  'double precision': 'double precision',
  blob: 'bytea',
};

async function postgresColumns(): Promise<string[]> {
  const columns = await rowsOf<{ table: string; name: string; type: string; required: boolean }>(
    `SELECT table_name AS table, column_name AS name, data_type AS type, is_nullable = 'NO' AS required
     FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  return columns
    .filter(({ table }) => !POSTGRES_ONLY.includes(table))
    .map(({ table, name, type, required }) => columnOf(table, name, type, required))
    .sort();
}

describe('the schema on PostgreSQL', () => {
  test('has the tables and columns of SQLite', async () => {
    expect(await postgresColumns()).toEqual(await sqliteColumns());
  });

  test('compares all texts by their bytes', async () => {
    expect(
      await rowsOf(`SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
        AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C' ORDER BY column_name`),
    ).toEqual(ONLY_EQUATED);
  });

  test('hides the rows of every table of tenants, from its owner too', async () => {
    expect(
      await rowsOf(`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenantId'
        WHERE c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`),
    ).toEqual([]);
  });

  test('begins every key of a table of tenants with the tenant, except addresses and hashes of secrets', async () => {
    const strange = await rowsOf<{ name: string }>(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index i
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'tenantId'
       WHERE i.indisunique AND i.indkey[0] <> a.attnum ORDER BY name`,
    );
    expect(strange.map(({ name }) => name)).toEqual([
      '"apiKeys_hash_key"',
      '"connections_tokenHash_key"',
      '"endedKeys_hash_key"',
      '"oauthTokens_tokenHash_key"',
      '"sessionTickets_tokenHash_key"',
      'tenants_email_key',
    ]);
  });

  test('turns JSON lists into rows with their places', async () => {
    expect(await rowsOf(`SELECT key, value FROM numbers('[7, 5]')`)).toEqual([
      { key: '0', value: '7' },
      { key: '1', value: '5' },
    ]);
    expect(await rowsOf(`SELECT value FROM texts('["a", "ä\\"", ""]')`)).toEqual(
      ['a', 'ä"', ''].map((value) => ({ value })),
    );
    expect(await rowsOf(`SELECT value FROM numbers('[]')`)).toEqual([]);
  });
});

describe('rows on PostgreSQL', () => {
  const as = (tenants: string) => client.query('SELECT set_config($1, $2, false)', ['svc.tenants', tenants]);
  const conversation = (tenantId: string, id: string, bytes: number) =>
    client.query(
      `INSERT INTO conversations ("tenantId", id, number, scope, "endUser", metadata, version, "messageCount",
         "lastOrdinal", "createdAt", "updatedAt", bytes)
       VALUES ($1, $2, nextval('"conversationNumbers"'), 1, '', '{}', 1, 0, 0, 1, 1, $3)`,
      [tenantId, id, bytes],
    );
  const totals = () => rowsOf('SELECT "tenantId", "storedBytes" FROM tenants ORDER BY "tenantId"');

  beforeAll(async () => {
    await as('*');
    for (const tenantId of ['a', 'b']) {
      await client.query('INSERT INTO tenants ("tenantId", email, tier, "createdAt") VALUES ($1, $1, $2, 1)', [
        tenantId,
        'Free',
      ]);
    }
  });

  beforeEach(async () => {
    await as('*');
    await client.query('DELETE FROM conversations');
    await conversation('a', 'conv_1', 10);
    await conversation('b', 'conv_2', 5);
  });

  test('count into the stored bytes of their tenants, whether added, changed or deleted', async () => {
    await as('*');
    const changes = [
      ['UPDATE conversations SET bytes = bytes * 2', '20', '10'],
      ['UPDATE conversations SET title = id', '20', '10'],
      [`DELETE FROM conversations WHERE "tenantId" = 'b'`, '20', '0'],
    ];
    for (const [sql, a, b] of changes) {
      await client.query(sql!);
      expect(await totals()).toEqual([
        { tenantId: 'a', storedBytes: a },
        { tenantId: 'b', storedBytes: b },
      ]);
    }
  });

  test('are seen and written only by transactions of their tenant', async () => {
    const visible = async () => (await rowsOf<{ id: string }>('SELECT id FROM conversations')).map(({ id }) => id);
    await as('c');
    expect(await visible()).toEqual([]);
    expect((await client.query('UPDATE conversations SET title = NULL')).rowCount).toBe(0);
    await as('b,c');
    expect(await visible()).toEqual(['conv_2']);
    await expect(conversation('a', 'conv_3', 1)).rejects.toThrow('row-level security');
    expect((await client.query('UPDATE conversations SET title = NULL')).rowCount).toBe(1);
    await as('');
    expect(await visible()).toEqual([]);
    await as('b,a');
    expect((await visible()).sort()).toEqual(['conv_1', 'conv_2']);
  });

  test('are found by a list of numbers through an index, among all that a tenant has', async () => {
    await as('*');
    await client.query(
      `INSERT INTO "textsToIndex" SELECT 'a', type, n FROM generate_series(1, 5000) n, (VALUES ('memory'), ('message')) t (type)`,
    );
    await client.query('ANALYZE "textsToIndex"');
    const plan = await rowsOf<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT t.* FROM numbers('[1, 2]') n JOIN "textsToIndex" t ON t.number = n.value
       WHERE t."tenantId" = 'a' AND t.type = 'memory'`,
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Cond: .*number = n.value/);
  });

  test('of no tenant are read by every tenant and written by none', async () => {
    await as('*');
    await client.query(`INSERT INTO "dataKeys" VALUES ('', 'one', ''), ('a', 'one', '')`);
    await as('b');
    expect(await rowsOf('SELECT "tenantId" FROM "dataKeys"')).toEqual([{ tenantId: '' }]);
    expect((await client.query(`UPDATE "dataKeys" SET wrapped = 'other'`)).rowCount).toBe(0);
    expect((await client.query('DELETE FROM "dataKeys"')).rowCount).toBe(0);
  });
});
