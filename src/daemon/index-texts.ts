import { ITEM_TYPES } from '../contract/search.ts';
import type { Database } from '../db/open.ts';
import { findMessageEntries } from '../features/conversations/conversations.ts';
import { findEpisodeEntries } from '../features/episodes/episodes.ts';
import { findMemoryEntries } from '../features/memories/memories.ts';
import { textIndices } from '../features/text/text-indices.ts';
import { countLeft, createTextPortions } from '../features/text/text-portions.ts';

export interface IndexingOptions {
  /** Called with the share that is done, from time to time. */
  onProgress: (stage: string, fraction: number) => void;
  signal: AbortSignal;
}

const ENTRIES = { memory: findMemoryEntries, message: findMessageEntries, episode: findEpisodeEntries };
/** Large: no other write waits for it, and the postings of a term are written once for all of its rows. */
const PORTION = { rows: 1000, characters: 1_000_000 };
const PROGRESS_MS = 500;

/** Indexes the texts that are left to index, and returns how many there were. No daemon may run. */
export async function indexTexts(db: Database, { onProgress, signal }: IndexingOptions): Promise<number> {
  const total = await countLeft(db.lookups);
  if (total === 0) return 0;
  const timer = setInterval(async () => {
    const left = await countLeft(db.readers).catch(() => total);
    onProgress('indexing texts', 1 - left / total);
  }, PROGRESS_MS);
  try {
    for (const type of ITEM_TYPES) {
      const findEntries: typeof findMemoryEntries = (...of) => {
        signal.throwIfAborted();
        return ENTRIES[type](...of);
      };
      await createTextPortions({ db, type, text: textIndices[type], findEntries, portion: PORTION }).resume();
    }
  } finally {
    clearInterval(timer);
  }
  return total;
}
