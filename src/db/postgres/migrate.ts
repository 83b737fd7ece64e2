import type { Knex } from 'knex';
import { MIGRATIONS, type Migration } from '../../../migrations/index.ts';
import { POSTGRES_BASELINE } from '../../../migrations/postgres/0015-baseline.ts';
import { AppError } from '../../contract/errors.ts';
import { certificateFault } from '../../lib/certificate-fault.ts';
import type { Reader } from '../connection.ts';
import { otherSchema, SCHEMA_VERSION } from '../migrate.ts';
import { postgresError } from './storage-error.ts';
import { checkAuthority, connectionUrl } from './url.ts';

const ADVICE: Record<string, string> = {
  '28P01': 'Check the user and the password.',
  '28000': 'Check the user, and what the server allows it (pg_hba.conf).',
  '3D000': 'Create the database first (CREATE DATABASE).',
  '42501': 'Make the user the owner of the database, so that it can create tables.',
};

/** Explains to an operator why a daemon cannot use the database at `url`; no more than the error itself if it is another. */
function startFault(error: unknown, url: string): unknown {
  const { code = '', message, syscall, path } = error as NodeJS.ErrnoException;
  const { hostname, port, pathname } = new URL(url);
  const where = `PostgreSQL at ${hostname || 'the local socket'}${port && `:${port}`}${pathname}`;
  const refuse = (what: string, advice: string) =>
    new AppError('unavailable', `${where} ${what}. ${advice} (SVC_DATABASE_URL)`);
  if (code === '28000' && /no encryption/.test(message)) {
    return refuse('refuses connections without TLS', 'Remove sslmode=disable.');
  }
  if (ADVICE[code]) return refuse(`refuses svc (${code})`, ADVICE[code]);
  if (/does not support SSL/.test(message)) {
    return refuse('does not offer TLS', 'Turn it on there, or add ?sslmode=disable on a network that you trust.');
  }
  const certificate = certificateFault(error, '?sslrootcert=ca.pem');
  if (certificate) return refuse(certificate.what, certificate.advice);
  if (syscall === 'open') return refuse(`needs ${path}, which cannot be read (${code})`, 'Check the file.');
  if (/^E[A-Z_]+$/.test(code)) return refuse(`cannot be reached (${code})`, 'Check the address, and that it runs.');
  return error;
}

/** The schema version that the baseline creates. */
const BASELINE_VERSION = 15;

/** Names the lock under which one daemon migrates while others wait. */
export const MIGRATION_LOCK = 0x737664;

/** Steps by version: the baseline is what SQLite has after as many migrations. */
const STEPS: ReadonlyMap<number, Migration> = new Map([
  [BASELINE_VERSION, POSTGRES_BASELINE],
  ...MIGRATIONS.slice(BASELINE_VERSION).map((step, index): [number, Migration] => [BASELINE_VERSION + 1 + index, step]),
]);

/**
 * Migrates the database at `url` to `SCHEMA_VERSION`, one transaction a step. Of several daemons that start at once, one
 * migrates and the others wait. Throws `unprocessable` if a newer svc made it, `unavailable` if it cannot be reached.
 */
export async function migratePostgres(url: string): Promise<void> {
  // Loaded lazily: most starts run no migration.
  const { default: knex } = await import('knex');
  const builder = knex({
    client: 'pg',
    connection: { connectionString: connectionUrl(url) },
    pool: { min: 0, max: 1 },
    acquireConnectionTimeout: 10_000,
    // Everything that knex would print is also thrown.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
  });
  try {
    await checkAuthority(url);
    const before = await versionOf(builder);
    for (const [version, step] of STEPS)
      if (version > before) await builder.transaction((transaction) => runStep(transaction, version, step));
  } catch (error) {
    throw postgresError(startFault(error, url));
  } finally {
    await builder.destroy();
  }
}

async function runStep(transaction: Knex.Transaction, version: number, step: Migration): Promise<void> {
  await transaction.raw('SELECT pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
  if ((await versionOf(transaction)) >= version) return;
  await step.up(transaction);
  await transaction.raw('UPDATE "schemaVersion" SET version = ?', [version]);
}

/**
 * Zero for an empty database. Reads the catalog: `to_regclass` may remember that there was no table, though another daemon
 * made it while this session waited for the lock.
 */
async function versionOf(database: Knex): Promise<number> {
  const { rows: tables } = await database.raw(
    `SELECT 1 FROM pg_class WHERE relname = 'schemaVersion' AND pg_table_is_visible(oid)`,
  );
  if (tables.length === 0) return 0;
  const { rows } = await database.raw('SELECT version FROM "schemaVersion"');
  return Number(rows[0].version);
}

/**
 * Throws `unprocessable` unless the database has the schema of this svc, or the one after it: while daemons are upgraded
 * one by one, the old ones keep serving.
 */
export async function refuseOtherSchema(reader: Reader): Promise<void> {
  const row = await reader.get<{ version: number }>('SELECT version FROM schemaVersion').catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    return undefined;
  });
  const version = row?.version ?? 0;
  if (version !== SCHEMA_VERSION && version !== SCHEMA_VERSION + 1) throw otherSchema('The database', version);
}
