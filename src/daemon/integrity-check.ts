import type { Connection } from '../db/connection.ts';
import { openConnection } from '../db/connection.ts';
import { filePageProblems, listTables, referenceProblems, tableProblems, unlessCorrupt } from '../db/integrity.ts';
import { type Database, refuseOtherSchema } from '../db/open.ts';
import { vectorProblems } from '../features/embeddings/vector-sync.ts';
import { storageProblems } from '../features/limits/storage.ts';
import { textIndices } from '../features/text/text-indices.ts';
import { systemClock } from '../lib/clock.ts';
import { withRooms } from './admin.ts';
import type { Config } from './config-settings.ts';
import { existingDatabase } from './database-location.ts';
import { noteCheck } from './last-check.ts';

/** What is checked: `file` and `references` of SQLite alone, whose server has its own tools on PostgreSQL. */
export type CheckedPart = 'file' | 'references' | 'index' | 'vectors' | 'totals';

/** The problems of one part. */
export interface PartReport {
  part: CheckedPart;
  problems: string[];
}

export interface CheckOptions {
  /** Called before each step; `share` of the steps is done. */
  onStep?: (what: string, share: number) => void;
  /** Ends the check before its next step. */
  signal?: AbortSignal;
  /** The database of the daemon that asks; an admin command opens PostgreSQL itself. */
  running?: Pick<Database, 'snapshot'>;
}

interface Step {
  part: CheckedPart;
  what: string;
  find: (connection: Connection) => Promise<string[]>;
}

const OWN_STEPS: readonly Step[] = [
  { part: 'index', what: 'the index of memories', find: textIndices.memory.problems },
  { part: 'index', what: 'the index of messages', find: textIndices.message.problems },
  { part: 'index', what: 'the index of episodes', find: textIndices.episode.problems },
  { part: 'vectors', what: 'vectors', find: vectorProblems },
  { part: 'totals', what: 'stored bytes', find: storageProblems },
];

/** Lists all problems of the database. Throws like `checkParts`. */
export async function checkIntegrity(config: Config, options: CheckOptions = {}): Promise<string[]> {
  return (await checkParts(config, options)).flatMap(({ problems }) => problems);
}

/**
 * Checks the whole database and notes when. Only reads, and no daemon waits: each step on SQLite is a read transaction of
 * its own, between which the write-ahead log can shrink; PostgreSQL is read in one snapshot. Parts that read rows are left
 * out while the file is corrupt. Throws `not_found` if the data folder has no database.
 */
export async function checkParts(config: Config, options: CheckOptions = {}): Promise<PartReport[]> {
  const location = await existingDatabase(config);
  const reports = await ('file' in location ? checkFile(location.file, options) : checkServer(config, options));
  const count = reports.reduce((sum, { problems }) => sum + problems.length, 0);
  await noteCheck(config.dataDir, { atMs: systemClock.nowMs(), problems: count }).catch(() => {
    // The folder may belong to another user, and the result counts.
  });
  return reports;
}

async function checkFile(file: string, options: CheckOptions): Promise<PartReport[]> {
  options.onStep?.('pages', 0);
  const problems = await filePageProblems(file);
  if (problems.length > 0) return [{ part: 'file', problems }];
  await refuseOtherSchema(file);
  // Not opened read-only: then the last one to close would leave an empty log behind.
  const connection = await openConnection(file);
  try {
    await connection.exec('PRAGMA query_only = ON');
    const tables = (await listTables(connection)).map(
      (table): Step => ({ part: 'file', what: `the table ${table}`, find: (read) => tableProblems(read, table) }),
    );
    const references: Step = { part: 'references', what: 'references', find: referenceProblems };
    return await runSteps([...tables, references, ...OWN_STEPS], options, async (find) => {
      await connection.exec('BEGIN');
      return unlessCorrupt(() => find(connection)).finally(() => connection.exec('COMMIT'));
    });
  } finally {
    await connection.close();
  }
}

async function checkServer(config: Config, options: CheckOptions): Promise<PartReport[]> {
  const { running } = options;
  if (running === undefined) return withRooms(config, ({ db }) => checkServer(config, { ...options, running: db }));
  const snapshot = await running.snapshot();
  return runSteps(OWN_STEPS, options, (find) => find(snapshot)).finally(() => snapshot.close());
}

async function runSteps(
  steps: readonly Step[],
  { onStep, signal }: CheckOptions,
  run: (find: Step['find']) => Promise<string[]>,
): Promise<PartReport[]> {
  const reports: PartReport[] = [];
  for (const [index, { part, what, find }] of steps.entries()) {
    const previous = reports.at(-1);
    if (previous?.part === 'file' && part !== 'file' && previous.problems.length > 0) break;
    signal?.throwIfAborted();
    onStep?.(what, index / steps.length);
    const problems = await run(find);
    if (previous?.part === part) previous.problems.push(...problems);
    else reports.push({ part, problems });
  }
  return reports;
}
