import { AppError } from '../contract/errors.ts';
import { findDatabaseState, refuseUnlessServing, setDatabaseState } from '../db/database-state.ts';
import { lockFolder } from '../db/folder-lock.ts';
import {
  compareDatabases,
  type DatabaseComparison,
  type Digests,
  type OnTable,
  readAllDigests,
  updateDigests,
} from '../db/moving/compare-databases.ts';
import { copyTables, countRows, type MovedTexts } from '../db/moving/copy-rows.ts';
import { MOVED_TABLES } from '../db/moving/moved-tables.ts';
import { continueRowNumbers, readRowNumbers } from '../db/moving/row-numbers.ts';
import { stopWrites } from '../db/moving/stopped-writes.ts';
import { leaveToIndex, removeLeft } from '../features/text/text-portions.ts';
import { systemClock } from '../lib/clock.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { Config } from './config-settings.ts';
import { existingDatabase, withReader } from './database-location.ts';
import { indexTexts } from './index-texts.ts';
import { masterKeyFile } from './master-key.ts';
import { type MoveEnd, type MoveEnds, type MoveTarget, openEnds } from './move-ends.ts';

export interface MoveOptions {
  /** Called with the current stage and, if known, the fraction of it that is done. */
  onProgress(stage: string, fraction?: number): void;
  signal: AbortSignal;
}

export interface MoveReport {
  from: string;
  to: string;
  tenants: number;
  rows: number;
  /** Size of the compared rows as text. */
  bytes: number;
  seconds: number;
  rowsPerSecond: number;
  /** How long daemons refused writes, or made them wait. */
  pausedMs: number;
  /** Path of the master key, which the target needs too; `undefined` if it is in `SVC_MASTER_KEY`. */
  masterKeyFile: string | undefined;
}

/**
 * Moves the database to another engine while daemons serve it: copies it, stops writes, copies what changed meanwhile,
 * compares both databases tenant by tenant and lets the target serve. The source is kept, but no longer accepts writes.
 * An interrupted move continues when it is repeated. Throws like `openEnds`, and `conflict` while another process
 * moves the same folder.
 */
export async function moveDatabase(config: Config, to: MoveTarget, options: MoveOptions): Promise<MoveReport> {
  await makeFolder(config.dataDir);
  const lock = await lockFolder(config.dataDir, process.pid, 'move');
  try {
    const ends = await openEnds(config, to);
    try {
      const report = await move(ends, options);
      return { ...report, masterKeyFile: config.masterKeys ? undefined : masterKeyFile(config.dataDir) };
    } finally {
      await ends.source.db.close();
      await ends.target.db.close();
    }
  } finally {
    await lock.release();
  }
}

/** Lets a database serve again that was moved, and returns where to. Throws `conflict` if it was not moved. */
export async function cancelMove(config: Config): Promise<{ movedTo: string }> {
  const location = await existingDatabase(config);
  const found = await withReader(location, findDatabaseState);
  if (found === undefined) throw new AppError('conflict', 'This database was not moved. There is nothing to cancel.');
  if (found.state !== 'moved') await withReader(location, refuseUnlessServing);
  const stopped = await stopWrites(location);
  await stopped.end(undefined);
  return { movedTo: found.otherEnd };
}

/** Copies what changed, while daemons write, until so few rows differ that stopping writes for them takes little time. */
const MAX_PASSES = 4;
const FEW_ROWS = 1000;

async function move(ends: MoveEnds, options: MoveOptions): Promise<Omit<MoveReport, 'masterKeyFile'>> {
  const startMs = systemClock.monotonicMs();
  await copyAll(ends, options);
  await analyze(ends.target);
  const digests = await readAllDigests(ends.target.db.readers, stage('reading the copy', options));
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    if ((await copyAgain(ends, digests, options)) <= FEW_ROWS) break;
  }
  const stopped = await finish(ends, digests, options);
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  const { name: from } = ends.source;
  const rowsPerSecond = Math.round(stopped.rows / Math.max(seconds, 0.001));
  return { from, to: ends.target.name, ...stopped, seconds: Math.round(seconds * 10) / 10, rowsPerSecond };
}

/** Copies all rows that the target does not have, and indexes their texts. */
async function copyAll({ source, target }: MoveEnds, options: MoveOptions): Promise<void> {
  const snapshot = await source.db.snapshot();
  let copied = 0;
  try {
    const total = Math.max(1, (await countRows(snapshot)) - (await countCopied(target)));
    const onRows = (count: number) => {
      options.signal.throwIfAborted();
      copied += count;
      options.onProgress('copying rows', Math.min(1, copied / total));
    };
    const all = new Map(MOVED_TABLES.map((table) => [table, undefined]));
    await copyTables({ source: snapshot, target: target.db, texts, onRows }, all);
  } finally {
    await snapshot.close();
  }
  await indexTexts(target.db, options);
}

async function countCopied({ db }: MoveEnd): Promise<number> {
  // Counting many rows takes longer than a reader of requests may.
  const snapshot = await db.snapshot();
  return countRows(snapshot).finally(() => snapshot.close());
}

/** Copies what has changed since; returns how many rows that took. */
async function copyAgain({ source, target }: MoveEnds, digests: Digests, options: MoveOptions): Promise<number> {
  const snapshot = await source.db.snapshot();
  let copied = 0;
  try {
    const { different } = await compareDatabases(snapshot, digests, stage('comparing', options));
    const onRows = (count: number) => {
      copied += count;
      options.onProgress('copying what changed');
    };
    await copyTables({ source: snapshot, target: target.db, texts, onRows }, different);
    await updateDigests(target.db.readers, digests, different);
  } finally {
    await snapshot.close();
  }
  await indexTexts(target.db, options);
  return copied;
}

/** Stops writes, copies the remaining changes and lets the target serve. */
async function finish(
  { source, target }: MoveEnds,
  digests: Digests,
  options: MoveOptions,
): Promise<Pick<MoveReport, 'tenants' | 'rows' | 'bytes' | 'pausedMs'>> {
  const onTable = stage('comparing', options);
  options.onProgress('stopping writes');
  const stopped = await stopWrites(source.location);
  const startMs = systemClock.monotonicMs();
  try {
    const { different, ...totals } = await compareDatabases(stopped.reader, digests, onTable);
    await copyTables({ source: stopped.reader, target: target.db, texts, onRows: () => {} }, different);
    await indexTexts(target.db, options);
    await target.db.writes.write('daemon', async (connection) => {
      await continueRowNumbers(connection, await readRowNumbers(stopped.reader));
    });
    await updateDigests(target.db.readers, digests, different);
    const verified = await compareDatabases(stopped.reader, digests, onTable, different);
    if (verified.different.size > 0) throw stillDifferent(verified.different);
    options.signal.throwIfAborted();
    // The order matters: after a kill in between neither serves, instead of both.
    await stopped.end({ state: 'moved', otherEnd: target.name, at: systemClock.nowMs() });
    await target.db.writes.write('daemon', (connection) => setDatabaseState(connection, undefined));
    return { ...totals, pausedMs: Math.round(systemClock.monotonicMs() - startMs) };
  } finally {
    await stopped.release();
  }
}

function stage(name: string, { onProgress, signal }: MoveOptions): OnTable {
  return (fraction) => {
    signal.throwIfAborted();
    onProgress(name, fraction);
  };
}

const texts: MovedTexts = { added: leaveToIndex, removed: removeLeft };

/** Without statistics PostgreSQL would plan the first queries badly. */
async function analyze({ db }: MoveEnd): Promise<void> {
  if (db.readers.engine === 'postgres') await db.writes.write('daemon', (connection) => connection.exec('ANALYZE'));
}

function stillDifferent(different: DatabaseComparison['different']): AppError {
  const names = [...different.keys()].map(({ name }) => name).join(', ');
  return new AppError('unavailable', `The copied rows of ${names} differ. The source serves on; run the move again.`);
}
