import type { Knex } from 'knex';
import type { Migration } from './index.ts';
import { createTenantTable, TEXT } from './postgres/tables.ts';

/** A change that a trigger logs. Conditions and expressions are SQL over the rows `NEW` and `OLD`. */
export interface LoggedChange {
  table: string;
  /** Tells triggers of the same table and event apart. */
  name?: string;
  on: 'INSERT' | 'UPDATE' | 'DELETE';
  /** Columns whose update fires the trigger. */
  of?: readonly string[];
  when?: string;
  kind: string;
  itemId?: string;
  scope?: string;
}

/** The id and the user of an item. */
const item = (row: 'NEW' | 'OLD') => ({ itemId: `${row}.id`, scope: `${row}.scope` });

const CHANGES: readonly LoggedChange[] = [
  {
    ...{ table: 'memories', on: 'INSERT', when: 'NEW.current = 1' },
    kind: `CASE WHEN NEW.version = 1 THEN 'memory.created' ELSE 'memory.updated' END`,
    ...item('NEW'),
  },
  {
    ...{ table: 'memories', on: 'UPDATE', of: ['supersededBy'] },
    when: 'NEW."supersededBy" IS NOT NULL AND OLD."supersededBy" IS NULL',
    kind: `'memory.updated'`,
    ...item('NEW'),
  },
  { table: 'memories', on: 'DELETE', when: 'OLD.current = 1', kind: `'memory.deleted'`, ...item('OLD') },
  { table: 'conversations', on: 'INSERT', kind: `'conversation.created'`, ...item('NEW') },
  {
    ...{ table: 'conversations', on: 'UPDATE', of: ['version', 'lastOrdinal', 'updatedAt', 'erasedAt'] },
    when: `OLD."erasedAt" IS NULL AND (NEW."erasedAt" IS NOT NULL OR NEW.version <> OLD.version
      OR NEW."lastOrdinal" <> OLD."lastOrdinal" OR NEW."updatedAt" <> OLD."updatedAt")`,
    kind: `CASE WHEN NEW."erasedAt" IS NOT NULL THEN 'conversation.deleted'
      WHEN NEW."lastOrdinal" > OLD."lastOrdinal" THEN 'conversation.appended' ELSE 'conversation.updated' END`,
    ...item('NEW'),
  },
  {
    ...{ table: 'conversations', on: 'DELETE', when: 'OLD."erasedAt" IS NULL', kind: `'conversation.deleted'` },
    ...item('OLD'),
  },
  { table: 'episodes', on: 'INSERT', kind: `'episode.created'`, ...item('NEW') },
  {
    ...{ table: 'episodes', on: 'UPDATE', of: ['version'], when: 'NEW.version <> OLD.version' },
    kind: `'episode.updated'`,
    ...item('NEW'),
  },
  { table: 'episodes', on: 'DELETE', kind: `'episode.deleted'`, ...item('OLD') },
  { table: 'jobs', on: 'INSERT', kind: `'job.changed'`, itemId: 'NEW.id' },
  {
    ...{ table: 'jobs', on: 'UPDATE', of: ['state', 'done'], when: 'NEW.state <> OLD.state OR NEW.done <> OLD.done' },
    ...{ kind: `'job.changed'`, itemId: 'NEW.id' },
  },
  {
    ...{ table: 'searches', on: 'UPDATE', of: ['learnedFrom'], when: 'NEW."learnedFrom" <> OLD."learnedFrom"' },
    ...{ kind: `'feedback'`, itemId: 'NEW.id' },
    scope: `(SELECT s.scope FROM scopes s WHERE s."tenantId" = NEW."tenantId" AND s."endUser" = NEW."endUser")`,
  },
  { table: 'scopes', on: 'DELETE', kind: `'user.deleted'` },
  { table: 'tenants', on: 'UPDATE', of: ['tier'], when: 'NEW.tier <> OLD.tier', kind: `'account.changed'` },
  { table: 'providerSettings', on: 'INSERT', kind: `'account.changed'` },
  { table: 'providerSettings', on: 'UPDATE', kind: `'account.changed'` },
  { table: 'providerKeys', on: 'INSERT', kind: `'account.changed'`, itemId: 'NEW.id' },
  {
    ...{ table: 'providerKeys', on: 'UPDATE', of: ['version', 'status'] },
    when: 'NEW.version <> OLD.version OR NEW.status <> OLD.status',
    ...{ kind: `'account.changed'`, itemId: 'NEW.id' },
  },
  { table: 'providerKeys', on: 'DELETE', kind: `'account.changed'`, itemId: 'OLD.id' },
];

const MILLISECONDS_NOW = {
  sqlite: `CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)`,
  pg: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)',
};

/**
 * Makes a trigger find the last number by its index. A session plans the statement once, while the log is nearly empty; the
 * plan that reads all of a tenant's rows looks best then, and would take longer with each row. Refused plans have a cost for
 * which PostgreSQL would compile them.
 */
const BY_INDEX = 'SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off';

/** A log of what changed in each account, for its event streams. Runs on both engines. */
export const changes: Migration = {
  name: '0021-changes',
  async up(db) {
    const isPostgres = db.client.config.client === 'pg';
    const text = isPostgres ? TEXT : 'TEXT';
    // Numbers of a tenant have no gaps; its last row stays, so that they never begin again. `at` is in milliseconds.
    const columns = `number BIGINT NOT NULL, at BIGINT NOT NULL, kind ${text} NOT NULL, "itemId" ${text},
      scope BIGINT, PRIMARY KEY ("tenantId", number)`;
    if (isPostgres) await createTenantTable(db, 'changes', columns);
    else await db.raw(`CREATE TABLE changes ("tenantId" TEXT NOT NULL, ${columns}) WITHOUT ROWID`);
    for (const change of CHANGES) await logChange(db, change);
  },
};

/** Creates the trigger that logs a change, on either engine. */
export async function logChange(db: Knex, change: LoggedChange): Promise<void> {
  await (db.client.config.client === 'pg' ? logOnPostgres : logOnSqlite)(db, change);
}

async function logOnSqlite(db: Knex, change: LoggedChange): Promise<void> {
  const { table, on, of, when = '1' } = change;
  const columns = of ? ` OF ${of.map((column) => `"${column}"`).join(', ')}` : '';
  await db.raw(`CREATE TRIGGER ${nameOf(change)} AFTER ${on}${columns} ON "${table}"
    WHEN (${when}) AND ${isLogged(change)} BEGIN ${insertOf(change, MILLISECONDS_NOW.sqlite)}; END`);
}

async function logOnPostgres(db: Knex, change: LoggedChange): Promise<void> {
  const { table, on, of, when } = change;
  const columns = of ? ` OF ${of.map((column) => `"${column}"`).join(', ')}` : '';
  const name = `"${nameOf(change)}"`;
  // The daemons' own writes, which hold no tenant's lock, change jobs too.
  const lock = `PERFORM 1 FROM tenants t WHERE t."tenantId" = NEW."tenantId" FOR NO KEY UPDATE;`;
  await db.raw(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql ${BY_INDEX} AS $$
    BEGIN
      ${table === 'jobs' ? lock : ''}
      ${insertOf(change, MILLISECONDS_NOW.pg)} WHERE ${isLogged(change)};
      RETURN NULL;
    END $$`);
  await db.raw(`CREATE TRIGGER ${name} AFTER ${on}${columns} ON "${table}"
    FOR EACH ROW ${when ? `WHEN (${when})` : ''} EXECUTE FUNCTION ${name}()`);
}

function nameOf({ table, on, name = on.toLowerCase() }: LoggedChange): string {
  return `${table}_${name}_logged`;
}

function rowOf({ on }: LoggedChange): 'NEW' | 'OLD' {
  return on === 'DELETE' ? 'OLD' : 'NEW';
}

/** Not while a move fills the database, nor of what is erased with its account or its user. */
function isLogged(change: LoggedChange): string {
  const row = rowOf(change);
  const parts = [
    `NOT EXISTS (SELECT 1 FROM "databaseState" d WHERE d.state = 'arriving')`,
    `EXISTS (SELECT 1 FROM tenants t WHERE t."tenantId" = ${row}."tenantId" AND t."erasedAt" IS NULL)`,
  ];
  if (change.scope === `${row}.scope` && change.on !== 'INSERT') {
    parts.push(`NOT EXISTS (SELECT 1 FROM scopes s WHERE s."tenantId" = ${row}."tenantId" AND s.scope = ${row}.scope
      AND s."erasedAt" IS NOT NULL)`);
  }
  return parts.join(' AND ');
}

function insertOf(change: LoggedChange, nowMs: string): string {
  const row = rowOf(change);
  const { kind, itemId = 'NULL', scope = 'NULL' } = change;
  return `INSERT INTO changes ("tenantId", number, at, kind, "itemId", scope)
    SELECT ${row}."tenantId", COALESCE((SELECT c.number FROM changes c
      WHERE c."tenantId" = ${row}."tenantId" ORDER BY c.number DESC LIMIT 1), 0) + 1, ${nowMs}, ${kind}, ${itemId}, ${scope}`;
}
