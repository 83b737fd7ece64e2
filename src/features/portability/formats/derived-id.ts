import { createHash } from 'node:crypto';

/**
 * The id of a thing that another system made: a UUIDv7 in form, of the instant at which the thing came to be, so that
 * ids sort by time, and of a hash of whose it is and what the other system calls it, so that the same thing of the same
 * user always gets the same id. Where no time is known it is zero: an id must not depend on when the file is read.
 */
export function deriveId(
  prefix: 'mem' | 'conv' | 'msg',
  createdMs: number | undefined,
  user: string,
  source: readonly string[],
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([user, ...source]))
    .digest('hex');
  const time = Math.min(Math.max(createdMs ?? 0, 0), 0xffff_ffff_ffff)
    .toString(16)
    .padStart(12, '0');
  const variant = '89ab'[Number.parseInt(hash.slice(3, 4), 16) % 4];
  return `${prefix}_${time}7${hash.slice(0, 3)}${variant}${hash.slice(4, 19)}`;
}
