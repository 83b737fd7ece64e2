import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { TextIndex } from './text-indices.ts';

/** Removes the words of erased rows from the index file, in the background. */
export interface TextPurge {
  /** Something was erased: a sweep within the next ten minutes purges it. */
  due(): void;
  /** A whole tenant was erased: the next sweep purges it. */
  dueNow(): void;
  /** Purges if that is due. If it fails, it is due at the next sweep. */
  sweep(): Promise<void>;
}

const PURGE_EVERY_MS = 600_000;

export function createTextPurge({ db, clock, text }: { db: Database; clock: Clock; text: TextIndex }): TextPurge {
  // An earlier process may have stopped before it purged.
  let isDue = true;
  let purgedAtMs = Number.NEGATIVE_INFINITY;

  function dueNow(): void {
    isDue = true;
    purgedAtMs = Number.NEGATIVE_INFINITY;
  }

  return {
    due() {
      isDue = true;
    },
    dueNow,
    async sweep() {
      if (!isDue || clock.monotonicMs() - purgedAtMs < PURGE_EVERY_MS) return;
      isDue = false;
      purgedAtMs = clock.monotonicMs();
      let portion: 'first' | 'next' = 'first';
      try {
        while (await db.writes.write('daemon', (connection) => text.purge(connection, portion))) portion = 'next';
      } catch (error) {
        dueNow();
        throw error;
      }
    },
  };
}
