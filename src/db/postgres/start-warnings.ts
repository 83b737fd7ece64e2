import type { Log } from '../../lib/log.ts';
import type { Session } from './connection.ts';

interface Durability {
  synchronousCommit: string;
  fsync: string;
  standbyNames: string;
  /** Standbys, and backups or other programs that follow the write-ahead log. */
  followers: number;
}

/** Warns if the user of the URL may see the rows of all tenants whatever the transaction says. */
export async function warnOfSuperuser(session: Session, log: Log): Promise<void> {
  const role = await session.get<{ name: string }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)',
  );
  if (!role) return;
  const advice = 'connect as a user that owns the database and is not a superuser';
  log.warn({ user: role.name }, `row-level security does not hold for the user of SVC_DATABASE_URL: ${advice}`);
}

/** Warns if the server acknowledges writes that it can lose: in a crash, or when a standby that follows it takes over. */
export async function warnOfLoss(session: Session, log: Log): Promise<void> {
  const row = await session.get<Durability>(
    `SELECT current_setting('synchronous_commit') AS synchronousCommit, current_setting('fsync') AS fsync,
       current_setting('synchronous_standby_names') AS standbyNames,
       (SELECT COUNT(*) FROM pg_stat_replication) AS followers`,
  );
  const { synchronousCommit, fsync, standbyNames, followers } = row!;
  if (fsync === 'off' || synchronousCommit === 'off') {
    log.warn({ fsync, synchronousCommit }, 'PostgreSQL can lose acknowledged writes in a crash: turn both settings on');
    return;
  }
  if (followers === 0 || (standbyNames !== '' && synchronousCommit !== 'local')) return;
  const advice = 'set synchronous_standby_names, and synchronous_commit to on or remote_apply';
  log.warn({ followers }, `a standby that takes over can lack acknowledged writes: ${advice}`);
}
