import { v7 } from 'uuid';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

type IdPrefix =
  | 'ten'
  | 'mem'
  | 'memstore'
  | 'conv'
  | 'msg'
  | 'ep'
  | 'srch'
  | 'sug'
  | 'top'
  | 'job'
  | 'pk'
  | 'con'
  | 'req'
  | 'whk'
  | 'whd'
  | 'mbr'
  | 'log';

/** Generates sortable, prefixed ids. */
export interface Ids {
  next(prefix: IdPrefix): string;
}

/**
 * Ids are `prefix_` followed by a UUIDv7 (RFC 9562) in hex without dashes. Within one process they strictly increase,
 * even when the clock stands still or goes back: the counter (RFC 9562, method 1) keeps counting.
 */
export function createIds({ clock, random }: { clock: Clock; random: Random }): Ids {
  let lastMs = 0;
  let sequence = 0;
  return {
    next(prefix) {
      const nowMs = clock.nowMs();
      const bytes = random.bytes(16);
      if (nowMs > lastMs) {
        lastMs = nowMs;
        sequence = bytes.readUInt32BE(12) >>> 1;
      } else if (++sequence > 0xffff_ffff) {
        lastMs += 1;
        sequence = 0;
      }
      return `${prefix}_${v7({ msecs: lastMs, seq: sequence, random: bytes }).replaceAll('-', '')}`;
    },
  };
}

/** Returns the time in an id of `createIds`, in epoch milliseconds; NaN if the text is not an id. */
export function timeOfId(id: string): number {
  return Number.parseInt(/^[a-z]+_([0-9a-f]{12})/.exec(id)?.[1] ?? '', 16);
}
