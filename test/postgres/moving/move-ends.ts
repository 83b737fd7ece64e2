import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readConfig } from '../../../src/daemon/config.ts';
import type { Config } from '../../../src/daemon/config-settings.ts';
import { withReader } from '../../../src/daemon/database-location.ts';
import type { MoveOptions } from '../../../src/daemon/move.ts';
import type { Row } from '../../../src/db/connection.ts';
import { MOVED_TABLES } from '../../../src/db/moving/moved-tables.ts';
import { dropDatabase, ensureDatabase } from '../../helpers/postgres/databases.ts';
import { MASTER_KEY } from '../../helpers/postgres/folder-databases.ts';

/** Folders and databases of moves, which `clean` removes. */
export function createEnds() {
  const folders: string[] = [];
  const databases: string[] = [];
  return {
    async folder(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'svc-move-'));
      folders.push(folder);
      return folder;
    },
    /** An empty database. */
    async database(): Promise<string> {
      const name = `move_${process.pid}_${databases.length}`;
      databases.push(name);
      return ensureDatabase(inject('postgres').adminUrl, name);
    },
    async clean(): Promise<void> {
      for (const name of databases) await dropDatabase(inject('postgres').adminUrl, name);
      for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
    },
  };
}

export const configOf = (dataDir: string, more: Partial<Config> = {}): Config => ({
  ...readConfig({ dataDir }, {}, ''),
  masterKeys: [MASTER_KEY],
  ...more,
});

/** A move that nobody watches or interrupts. */
export const QUIET: MoveOptions = { onProgress: () => {}, signal: new AbortController().signal };

/** All moved rows of a database by table, in no particular order. */
export async function allRows(location: { file: string } | { url: string }): Promise<Record<string, Row[]>> {
  return withReader(location, async (reader) => {
    const tables: Record<string, Row[]> = {};
    for (const { name } of MOVED_TABLES) {
      const rows = await reader.all(`SELECT * FROM ${name}`);
      tables[name] = rows.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
    return tables;
  });
}

/** The columns in one order. */
function sorted(row: Row): Row {
  return Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
