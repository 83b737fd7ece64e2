import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The ids that were shown in their short form, so that what a person copies from the screen is found again. */
export interface RecentIds {
  /** Newest first. */
  list(): Promise<string[]>;
  /** Never throws: it is a convenience. */
  remember(ids: readonly string[]): Promise<void>;
}

const KEPT = 2000;

/** Kept in the settings folder. Ids alone: they say nothing of what is remembered and open nothing. */
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
      const next = [...new Set([...ids, ...known])].slice(0, KEPT);
      const draft = `${path}.${process.pid}`;
      await mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => writeFile(draft, JSON.stringify(next), { mode: 0o600 }))
        .then(() => rename(draft, path))
        .catch(() => {});
    },
  };
}
