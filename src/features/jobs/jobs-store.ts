import type { JobKind, JobState } from '../../contract/job-states.ts';
import type { Provider } from '../../contract/providers.ts';
import type { Connection, Reader, Value } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';

/** A stored job; times are epoch milliseconds, `result` is JSON. */
export interface JobRow {
  tenantId: string;
  id: string;
  kind: JobKind;
  state: JobState;
  /** What is extracted from; `null` for other kinds. */
  conversationId: string | null;
  /** Whose memories are tidied; `null` for other kinds. */
  endUser: string | null;
  project: string | null;
  /** The last memory of the last portion that was tidied. */
  afterId: string | null;
  /** Only memories that changed after this are tidied; `null` for all. */
  changedAfter: number | null;
  provider: Provider;
  model: string;
  dryRun: number;
  /** Messages after this ordinal are read next, up to and including `toOrdinal`. */
  fromOrdinal: number;
  toOrdinal: number;
  /** How far the first of them was read already, if it is long; JSON. */
  partlyRead: string | null;
  /** Messages or memories read so far, out of `total`. */
  done: number;
  total: number;
  /** Consecutive failures. */
  attempts: number;
  /** Earliest start; for a running job, when its daemon is presumed dead. */
  dueAt: number;
  /** How often the job was claimed. Only the last claim may change a running job. */
  fence: number;
  errorCode: string | null;
  errorMessage: string | null;
  errorAt: number | null;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  spend: number;
  result: string;
  /** The client that asked for it; `null` if none did. */
  client: string | null;
  /** the member who ordered it in a space. */
  author: string | null;
  createdAt: number;
  updatedAt: number;
  finishedAt: number | null;
}

const COLUMNS: readonly (keyof JobRow)[] = [
  'tenantId',
  'id',
  'kind',
  'state',
  'conversationId',
  'endUser',
  'project',
  'afterId',
  'changedAfter',
  'provider',
  'model',
  'dryRun',
  'fromOrdinal',
  'toOrdinal',
  'partlyRead',
  'done',
  'total',
  'attempts',
  'dueAt',
  'fence',
  'errorCode',
  'errorMessage',
  'errorAt',
  'requests',
  'inputTokens',
  'outputTokens',
  'spend',
  'result',
  'client',
  'author',
  'createdAt',
  'updatedAt',
  'finishedAt',
];

export async function insertJob(connection: Connection, row: JobRow): Promise<void> {
  await connection.run(
    `INSERT INTO jobs (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
    COLUMNS.map((column) => row[column] as Value),
  );
}

/** Updates a job if its state, attempt count and claim are still those that were read. Returns whether it did. */
export async function updateJob(
  connection: Connection,
  { tenantId, id, state, attempts, fence }: JobRow,
  change: Partial<JobRow>,
): Promise<boolean> {
  const columns = COLUMNS.filter((column) => change[column] !== undefined);
  const { changes } = await connection.run(
    `UPDATE jobs SET ${columns.map((column) => `${column} = ?`).join(', ')}
     WHERE tenantId = ? AND id = ? AND state = ? AND attempts = ? AND fence = ?`,
    [...columns.map((column) => change[column] as Value), tenantId, id, state, attempts, fence],
  );
  return changes === 1;
}

export async function findJob(reader: Reader, tenantId: string, id: string): Promise<JobRow | undefined> {
  return reader.get<JobRow>('SELECT * FROM jobs WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

/** Finds the open job of a conversation, of which there is at most one. */
export async function findOpenJob(
  reader: Reader,
  { tenantId, conversationId, dryRun }: { tenantId: string; conversationId: string; dryRun: number },
): Promise<JobRow | undefined> {
  return reader.get<JobRow>(
    'SELECT * FROM jobs WHERE tenantId = ? AND conversationId = ? AND dryRun = ? AND finishedAt IS NULL',
    [tenantId, conversationId, dryRun],
  );
}

/** Finds the open job that tidies the memories of a user and a project, of which there is at most one. */
export async function findOpenTidyJob(
  reader: Reader,
  { tenantId, endUser, project }: { tenantId: string; endUser: string; project: string | null },
): Promise<JobRow | undefined> {
  return reader.get<JobRow>(
    `SELECT * FROM jobs WHERE tenantId = ? AND endUser = ? AND COALESCE(project, '') = ? AND finishedAt IS NULL
       AND endUser IS NOT NULL`,
    [tenantId, endUser, project ?? ''],
  );
}

export interface JobFilter {
  tenantId: string;
  state: string | undefined;
  conversationId: string | undefined;
  olderThanId: string | undefined;
  limit: number;
}

/** A thousand decisions per job would be too much for a page. */
const WITHOUT_DECISIONS: Record<Engine, string> = {
  sqlite: `json_replace(result, '$.decisions', json('[]'))`,
  postgres: `jsonb_set(result::jsonb, '{decisions}', '[]', false)::text`,
};

/** Newest first, without decisions. */
export async function listJobs(reader: Reader, filter: JobFilter): Promise<JobRow[]> {
  const { tenantId, state = null, conversationId = null, olderThanId = null, limit } = filter;
  const columns = COLUMNS.map((column) =>
    column === 'result' ? `${WITHOUT_DECISIONS[reader.engine]} AS result` : column,
  );
  const ofConversation = conversationId === null ? 'CAST(? AS TEXT) IS NULL' : 'conversationId = ?';
  return reader.all<JobRow>(
    `SELECT ${columns.join(', ')} FROM jobs WHERE tenantId = ? AND ${ofConversation}
       AND (CAST(? AS TEXT) IS NULL OR state = ?) AND (CAST(? AS TEXT) IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`,
    [tenantId, conversationId, state, state, olderThanId, olderThanId, limit],
  );
}

/** Lists jobs that extract, by conversation or id, open or not. */
export async function listJobsOf(
  reader: Reader,
  tenantId: string,
  which: { conversationId: string } | { ids: readonly string[] },
): Promise<JobRow[]> {
  if ('ids' in which) {
    return reader.all<JobRow>(
      `SELECT j.* FROM texts(?) i CROSS JOIN jobs j ON j.tenantId = ? AND j.id = i.value AND j.kind = 'extract'`,
      [JSON.stringify(which.ids), tenantId],
    );
  }
  return reader.all<JobRow>('SELECT * FROM jobs WHERE tenantId = ? AND conversationId = ?', [
    tenantId,
    which.conversationId,
  ]);
}

/** Lists the jobs that tidy the memories of a user, open or not. */
export async function listJobsOfUser(reader: Reader, tenantId: string, endUser: string): Promise<JobRow[]> {
  return reader.all<JobRow>('SELECT * FROM jobs WHERE tenantId = ? AND endUser = ?', [tenantId, endUser]);
}

/** Lists which of some memories were not erased. */
export async function listKept(reader: Reader, tenantId: string, memoryIds: readonly string[]): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `SELECT m.id FROM texts(?) i CROSS JOIN memories m ON m.tenantId = ? AND m.id = i.value AND m.current = 1`,
    [JSON.stringify(memoryIds), tenantId],
  );
  return rows.map(({ id }) => id);
}

/** Which open jobs of a tenant to list. */
interface OpenJobs {
  conversationId?: string | null;
  provider?: string | null;
  author?: string | null;
}

/** Lists a tenant's open jobs, optionally by conversation or provider. */
export async function listOpenJobs(
  reader: Reader,
  tenantId: string,
  { conversationId = null, provider = null, author = null }: OpenJobs,
): Promise<JobRow[]> {
  return reader.all<JobRow>(
    `SELECT * FROM jobs WHERE tenantId = ? AND finishedAt IS NULL
       AND (CAST(? AS TEXT) IS NULL OR conversationId = ?) AND (CAST(? AS TEXT) IS NULL OR provider = ?)
       AND (CAST(? AS TEXT) IS NULL OR author = ?)`,
    [tenantId, conversationId, conversationId, provider, provider, author, author],
  );
}

/** Makes jobs due that wait for a quota or cap to reset. */
export async function updateCapped(connection: Connection, tenantId: string, nowMs: number): Promise<void> {
  await connection.run(
    `UPDATE jobs SET dueAt = ?, updatedAt = ? WHERE tenantId = ? AND dueAt > ? AND state = 'queued'
       AND errorCode = 'quota_exceeded' AND finishedAt IS NULL`,
    [nowMs, nowMs, tenantId, nowMs],
  );
}

export async function countOpenJobs(reader: Reader): Promise<number> {
  const row = await reader.get<{ jobs: number }>('SELECT COUNT(*) AS jobs FROM jobs WHERE finishedAt IS NULL');
  return row!.jobs;
}

export async function deleteJobsEndedBefore(connection: Connection, beforeMs: number, limit: number): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM jobs WHERE (tenantId, id) IN
       (SELECT tenantId, id FROM jobs WHERE finishedAt <= ? AND finishedAt IS NOT NULL LIMIT ?)`,
    [beforeMs, limit],
  );
  return changes;
}

export async function deleteJob(connection: Connection, tenantId: string, id: string): Promise<void> {
  await connection.run('DELETE FROM jobs WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

export async function deleteJobsOfConversation(
  connection: Connection,
  tenantId: string,
  conversationId: string,
): Promise<void> {
  await connection.run('DELETE FROM jobs WHERE tenantId = ? AND conversationId = ?', [tenantId, conversationId]);
}

export async function deleteJobsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM jobs WHERE tenantId = ?', [tenantId]);
}
