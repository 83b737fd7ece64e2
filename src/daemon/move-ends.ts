import { access, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { Reader } from '../db/connection.ts';
import { type DatabaseState, findDatabaseState, refuseUnlessServing, setDatabaseState } from '../db/database-state.ts';
import { SCHEMA_VERSION, schemaVersionOf } from '../db/migrate.ts';
import { isEmpty } from '../db/moving/copy-rows.ts';
import { MOVED_TABLES } from '../db/moving/moved-tables.ts';
import { type Database, openDatabase } from '../db/open.ts';
import { requireMasterKey } from '../features/envelope/envelope.ts';
import { masterKeyOf } from '../features/envelope/master-key.ts';
import { systemClock } from '../lib/clock.ts';
import type { Config } from './config-settings.ts';
import { shownUrl } from './config-values.ts';
import { type DatabaseLocation, existingDatabase, migratedDatabase, withReader } from './database-location.ts';
import { createLog } from './log.ts';
import { readMasterKeys } from './master-key.ts';

/** Where a move leads: to the data folder's file, or to the PostgreSQL database at this URL. */
export type MoveTarget = 'sqlite' | { url: string };

/** A database that a move reads or fills. */
export interface MoveEnd {
  /** Shown in messages, without a password. */
  name: string;
  location: DatabaseLocation;
  db: Database;
}

export interface MoveEnds {
  source: MoveEnd;
  target: MoveEnd;
}

/**
 * Opens both databases of a move, and marks the target as filled by it. Throws `conflict` unless the source serves, or was
 * moved to this target, and the target is empty, or is being filled from this source; `unprocessable` if the master key of
 * the source is missing. The caller closes both.
 */
export async function openEnds(config: Config, to: MoveTarget): Promise<MoveEnds> {
  const source = await openEnd(await existingDatabase(sourceOf(config, to)));
  try {
    await requireMasterKey(source.db.readers, await masterKeysOf(config));
    const target = await openTarget(config, to);
    try {
      await connectEnds({ source, target });
      return { source, target };
    } catch (error) {
      await target.db.close();
      throw error;
    }
  } catch (error) {
    await source.db.close();
    throw error;
  }
}

/** The name of a database in states and reports. */
async function nameOf(location: DatabaseLocation): Promise<string> {
  return 'file' in location ? `sqlite:${await realpath(location.file)}` : shownUrl(location.url);
}

function sourceOf(config: Config, to: MoveTarget): Config {
  if (to !== 'sqlite') return { ...config, databaseUrl: undefined };
  if (config.databaseUrl !== undefined) return config;
  throw new AppError('unprocessable', 'Set SVC_DATABASE_URL to the PostgreSQL database to move.');
}

async function openTarget(config: Config, to: MoveTarget): Promise<MoveEnd> {
  if (to !== 'sqlite') return openEnd(await migratedDatabase({ ...config, databaseUrl: to.url }));
  await refuseOlderFile(join(config.dataDir, 'svc.db'));
  return openEnd(await migratedDatabase({ ...config, databaseUrl: undefined }));
}

/** Migrating a database of an older svc would change one that has data; an empty one is from a move that was killed. */
async function refuseOlderFile(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  const version = exists ? await schemaVersionOf(file) : 0;
  if (version === 0 || version >= SCHEMA_VERSION) return;
  if (!(await withReader({ file }, (reader) => isEmpty(reader, MOVED_TABLES[0]!)))) throw notEmpty(`sqlite:${file}`);
}

async function openEnd(location: DatabaseLocation): Promise<MoveEnd> {
  const options = { readerCount: 2, monotonicMs: systemClock.monotonicMs };
  const name = await nameOf(location);
  if ('file' in location) return { name, location, db: await openDatabase(location.file, options) };
  const { openPostgres } = await import('../db/postgres/open.ts');
  const log = createLog('silent', () => {});
  const db = await openPostgres(location.url, {
    ...options,
    log,
    machineNowMs: systemClock.nowMs,
    writesAs: 'longWrite',
  });
  return { name, location, db };
}

async function masterKeysOf({ dataDir, masterKeys }: Config) {
  return (masterKeys ?? (await readMasterKeys(dataDir)) ?? []).map(masterKeyOf);
}

async function connectEnds({ source, target }: MoveEnds): Promise<void> {
  const [before, after] = [await findDatabaseState(source.db.readers), await findDatabaseState(target.db.readers)];
  const isUnfinished = after?.state === 'arriving' && after.otherEnd === source.name;
  await refuseSource(source.db.readers, before, { isUnfinished, target: target.name });
  if (isUnfinished) return;
  await refuseTarget(target, after);
  const state: DatabaseState = { state: 'arriving', otherEnd: source.name, at: systemClock.nowMs() };
  await target.db.writes.write('daemon', (connection) => setDatabaseState(connection, state));
}

/** A source that was moved already is read again only to finish that move. */
async function refuseSource(
  reader: Reader,
  before: DatabaseState | undefined,
  { isUnfinished, target }: { isUnfinished: boolean; target: string },
): Promise<void> {
  if (before?.state === 'moved' && before.otherEnd === target && isUnfinished) return;
  await refuseUnlessServing(reader);
}

async function refuseTarget({ name, db }: MoveEnd, after: DatabaseState | undefined): Promise<void> {
  if (after?.state === 'arriving') {
    throw new AppError(
      'conflict',
      `${name} is being filled by a move from ${after.otherEnd}. Choose an empty database.`,
    );
  }
  if (after !== undefined) throw notEmpty(name);
  for (const table of MOVED_TABLES) if (!(await isEmpty(db.readers, table))) throw notEmpty(name);
}

function notEmpty(name: string): AppError {
  const advice = name.startsWith('sqlite:')
    ? 'Move that file away, or choose another folder with --data-dir.'
    : 'Create an empty database for svc (CREATE DATABASE).';
  return new AppError('conflict', `${name} is not empty. ${advice}`);
}
