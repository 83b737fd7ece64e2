import type { ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CandidateQuery } from './candidate.ts';
import { SOURCES } from './sources-sqlite.ts';

const CACHE_TTL_MS = 30_000;
const MAX_CACHED = 50_000;
/** Counting is cached only from this many documents on: below it is cheap. */
const MIN_CACHED_DOCUMENTS = 2000;

/** Collection sizes that idf is computed from. */
export interface Sizes {
  /** The user's documents. */
  own: number;
  /** All documents in the index, which FTS5 bases its own idf on. */
  index: number;
  /** The user's passages. */
  passages: number;
}

/** Reads the sizes of each type. */
export type ReadSizes = (
  reader: Reader,
  query: CandidateQuery,
  types: readonly ItemType[],
) => Promise<Map<ItemType, Sizes>>;

/** Caches large sizes for half a minute: only their logarithm matters, so an old one does no harm. */
export function createReadSizes(clock: Clock): ReadSizes {
  const cache = new Map<string, { sizes: Sizes; atMs: number }>();

  function store(type: ItemType, scope: number, sizes: Sizes): void {
    if (cache.size >= MAX_CACHED) cache.clear();
    if (sizes.own >= MIN_CACHED_DOCUMENTS) cache.set(`${type} ${scope}`, { sizes, atMs: clock.monotonicMs() });
  }

  return async (reader, { tenantId, endUser, scope }, types) => {
    const found = new Map<ItemType, Sizes>();
    for (const type of types) {
      const cached = cache.get(`${type} ${scope}`);
      if (cached && clock.monotonicMs() - cached.atMs < CACHE_TTL_MS) found.set(type, cached.sizes);
    }
    const missing = types.filter((type) => !found.has(type));
    if (missing.length === 0) return found;
    const row = await reader.get<Record<string, Buffer | number | null>>(
      `SELECT ${missing.map(sizesSql).join(', ')}`,
      missing.flatMap(() => [tenantId, endUser, tenantId, endUser]),
    );
    for (const type of missing) {
      const averages = row?.[`${type}Averages`];
      const sizes = {
        own: Number(row?.[`${type}Own`]),
        index: Buffer.isBuffer(averages) ? firstVarint(averages) : 0,
        passages: Number(row?.[`${type}Passages`]),
      };
      found.set(type, sizes);
      store(type, scope, sizes);
    }
    return found;
  };
}

function sizesSql(type: ItemType): string {
  const { index, own, passages } = SOURCES[type];
  return `(SELECT block FROM ${index}_data WHERE id = 1) AS ${type}Averages, (${own}) AS ${type}Own,
    (${passages}) AS ${type}Passages`;
}

/** The row count leads FTS5's averages record, as a varint of the SQLite file format. */
function firstVarint(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return value;
}
