import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperatorOverview } from '../contract/operator.ts';
import type { LimitSignIns } from '../features/auth/sign-in-limit.ts';
import type { MailQueue } from '../features/mail/mail-queue.ts';
import type { OperatorParts } from '../features/operator/operator-parts.ts';
import { createOperatorSessions } from '../features/operator/operator-sessions.ts';
import { createTask } from '../features/operator/operator-tasks.ts';
import { createOperatorTenants } from '../features/operator/operator-tenants.ts';
import { createCursors } from '../features/text/page-cursor.ts';
import { type Clock, toTimestamp, toTimestampOrNull } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { BackupPlan } from './backup-plan.ts';
import type { Config } from './config-settings.ts';
import type { Readiness } from './health.ts';
import { checkIntegrity } from './integrity-check.ts';
import { lastBackupMs } from './last-backup.ts';
import { noSuchPath } from './problems.ts';
import type { Rooms } from './rooms.ts';
import type { ScheduledBackups } from './scheduled-backup.ts';

interface Dependencies {
  clock: Clock;
  random: Random;
  log: Log;
  version: string;
  mailQueue: MailQueue;
  readiness: Readiness;
  /** Undefined on PostgreSQL. */
  backups: ScheduledBackups | undefined;
  limitSignIns: LimitSignIns;
}

/** Routes of the API that the overview shows. */
const MAX_ROUTES = 20;

/** The operator's view of a daemon: what its routes need, and its long work, which `stop` ends. */
export function composeOperator(config: Config, rooms: Rooms, dependencies: Dependencies) {
  const { db, accounts, sealer } = rooms;
  const { clock, random, log, limitSignIns, backups } = dependencies;
  const check = createTask(
    ({ onProgress, signal }) =>
      checkIntegrity(config, { running: db, signal, onStep: (_what, share) => onProgress(share) }),
    { clock, log, failure: 'integrity check failed' },
  );
  const startedAt = toTimestamp(clock.nowMs());
  const parts: OperatorParts = {
    ...{ accounts, check, backup: backups?.task, limitSignIns, noSuchPath },
    sessions: createOperatorSessions({ db, clock, random }),
    tenants: createOperatorTenants({ db, cursors: createCursors({ sealer }) }),
    overview: async () => ({
      ...(await overviewOf(config, rooms, dependencies)),
      startedAt,
      backups: backups ? { ...(await backupsIn(config, await backups.plan())), task: backups.task.state() } : null,
      check: check.state(),
    }),
  };
  return {
    parts,
    stop: async () => {
      await Promise.all([check.stop(), backups?.task.stop()]);
    },
  };
}

async function overviewOf(config: Config, rooms: Rooms, { clock, version, mailQueue, readiness }: Dependencies) {
  const { db, limiting, metrics, jobs, embeddings, tenantEmbeddings } = rooms;
  const [disk, dataBytes, { checks }, latencies] = await Promise.all([
    statfs(config.dataDir),
    databaseBytes(config, rooms),
    readiness.check(),
    metrics.latencies(),
  ]);
  return {
    version,
    engine: db.readers.engine,
    now: toTimestamp(clock.nowMs()),
    daemons: limiting.liveDaemons(),
    dataBytes,
    freeBytes: disk.bavail * disk.bsize,
    checks,
    queues: {
      writes: db.writes.waiting(),
      embeddings: (await embeddings.waiting()) + (await tenantEmbeddings.waiting()),
      jobs: await jobs.open(),
      mails: await mailQueue.pending(),
    },
    requests: latencies.filter(({ route }) => route.startsWith('/v1/')).slice(0, MAX_ROUTES),
  } satisfies Partial<OperatorOverview>;
}

/** The database and, of SQLite, its write-ahead log. */
async function databaseBytes({ dataDir }: Config, { db }: Rooms): Promise<number> {
  if (db.readers.engine === 'postgres') {
    const row = await db.readers.get<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
    return row?.bytes ?? 0;
  }
  const sizes = ['svc.db', 'svc.db-wal'].map((name) =>
    stat(join(dataDir, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Finished backups end in `.db`; unfinished ones do not. */
async function backupsIn(config: Config, { folder }: BackupPlan) {
  const lastStartedAt = toTimestampOrNull((await lastBackupMs(config.dataDir)) ?? null);
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith('.db'))
      .map(async (name) => ({ name, ...(await stat(join(folder, name)).catch(() => undefined)) })),
  );
  const [newest] = files.sort((a, b) => (b.mtimeMs ?? 0) - (a.mtimeMs ?? 0));
  if (newest?.mtimeMs === undefined) return { folder, lastStartedAt, newest: null };
  return {
    folder,
    lastStartedAt,
    newest: { name: newest.name, bytes: newest.size ?? 0, createdAt: toTimestamp(Math.floor(newest.mtimeMs)) },
  };
}
