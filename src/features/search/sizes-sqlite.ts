import type { ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CandidateQuery, SOURCES } from './sources-sqlite.ts';

const SIZES_KEPT_MS = 30_000;
const MAX_REMEMBERED = 50_000;
/** From so many documents on, counting them is felt. */
const LARGE = 2000;

/**
 * How many documents there are: of this user, and in the whole index, on which FTS5's own weights rest; and how many
 * stretches of conversation the user's make.
 */
export interface Sizes {
  own: number;
  index: number;
  stretches: number;
}

export type SizesOf = (
  reader: Reader,
  query: CandidateQuery,
  types: readonly ItemType[],
) => Promise<Map<ItemType, Sizes>>;

/** Sizes enter by their logarithm: those of large users are counted anew every half minute only. */
export function createSizes(clock: Clock): SizesOf {
  const remembered = new Map<string, { sizes: Sizes; atMs: number }>();

  function remember(type: ItemType, scope: number, sizes: Sizes): void {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    if (sizes.own >= LARGE) remembered.set(`${type} ${scope}`, { sizes, atMs: clock.monotonicMs() });
  }

  return async (reader, { tenantId, endUser, scope }, types) => {
    const found = new Map<ItemType, Sizes>();
    for (const type of types) {
      const known = remembered.get(`${type} ${scope}`);
      if (known && clock.monotonicMs() - known.atMs < SIZES_KEPT_MS) found.set(type, known.sizes);
    }
    const unknown = types.filter((type) => !found.has(type));
    if (unknown.length === 0) return found;
    const row = await reader.get<Record<string, Buffer | number | null>>(
      `SELECT ${unknown.map(sizesSql).join(', ')}`,
      unknown.flatMap(() => [tenantId, endUser, tenantId, endUser]),
    );
    for (const type of unknown) {
      const averages = row?.[`${type}Averages`];
      const sizes = {
        own: Number(row?.[`${type}Own`]),
        index: Buffer.isBuffer(averages) ? firstVarint(averages) : 0,
        stretches: Number(row?.[`${type}Stretches`]),
      };
      found.set(type, sizes);
      remember(type, scope, sizes);
    }
    return found;
  };
}

function sizesSql(type: ItemType): string {
  const { index, own, stretches } = SOURCES[type];
  return `(SELECT block FROM ${index}_data WHERE id = 1) AS ${type}Averages, (${own}) AS ${type}Own,
    (${stretches}) AS ${type}Stretches`;
}

/** FTS5 keeps the number of its rows first in its record of averages, as a varint of the SQLite file format. */
function firstVarint(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return value;
}
