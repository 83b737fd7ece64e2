import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/atomic-file.ts';
import { makeFolder } from '../../lib/make-folder.ts';

/** The ids recently shown in short form, so that one copied from the screen can be resolved. */
export interface RecentIds {
  /** Newest first. */
  list(): Promise<string[]>;
  /** Never throws: remembering ids is only a convenience. */
  remember(ids: readonly string[]): Promise<void>;
}

const MAX_IDS = 2000;

/** Stores ids in the settings folder. Ids alone reveal no content and grant no access. */
export function createRecentIds(folder: string): RecentIds {
  const path = join(folder, 'recent-ids.json');
  async function list(): Promise<string[]> {
    try {
      const ids: unknown = JSON.parse(await readFile(path, 'utf8'));
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
    } catch {
      return [];
    }
  }
  return {
    list,
    async remember(ids) {
      const known = await list();
      if (ids.every((id) => known.includes(id))) return;
      const next = [...new Set([...ids, ...known])].slice(0, MAX_IDS);
      await makeFolder(folder)
        .then(() => replaceFile(path, JSON.stringify(next), { mode: 0o600 }))
        .catch(() => {});
    },
  };
}
