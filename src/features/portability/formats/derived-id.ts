import { createHash } from 'node:crypto';
import { MAX_STORED_LENGTH } from './foreign-values.ts';

/**
 * Derives the id of an item from another system, in the form of a UUIDv7: its creation time, so that ids sort by time,
 * and a hash of user and source, so that the same item of the same user always gets the same id. An unknown time counts
 * as zero: the id must not depend on when the file is read.
 */
export function deriveId(
  prefix: 'mem' | 'conv' | 'msg',
  createdMs: number | undefined,
  user: string,
  source: readonly string[],
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([user, ...source.map((text) => text.slice(0, MAX_STORED_LENGTH))]))
    .digest('hex');
  const time = Math.min(Math.max(createdMs ?? 0, 0), 0xffff_ffff_ffff)
    .toString(16)
    .padStart(12, '0');
  const variant = '89ab'[Number.parseInt(hash.slice(3, 4), 16) % 4];
  return `${prefix}_${time}7${hash.slice(0, 3)}${variant}${hash.slice(4, 19)}`;
}
