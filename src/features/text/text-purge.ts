import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { TextIndex } from './text-index-sqlite.ts';

/** Takes the words of what was erased off the disk, some time after the erasing. */
export interface TextPurge {
  /** Something was erased: a sweep of the next ten minutes purges. */
  due(): void;
  /** All of a tenant was erased, which is no matter of ten minutes: the next sweep purges. */
  dueNow(): void;
  sweep(): Promise<void>;
}

const PURGE_EVERY_MS = 600_000;

export function createTextPurge({ db, clock, text }: { db: Database; clock: Clock; text: TextIndex }): TextPurge {
  // An earlier process may have erased and not purged.
  let isDue = true;
  let purgedAtMs = Number.NEGATIVE_INFINITY;

  return {
    due() {
      isDue = true;
    },
    dueNow() {
      isDue = true;
      purgedAtMs = Number.NEGATIVE_INFINITY;
    },
    async sweep() {
      if (!isDue || clock.monotonicMs() - purgedAtMs < PURGE_EVERY_MS) return;
      isDue = false;
      purgedAtMs = clock.monotonicMs();
      let portion: 'first' | 'next' = 'first';
      while (await db.writes.write((connection) => text.purge(connection, portion))) portion = 'next';
    },
  };
}
