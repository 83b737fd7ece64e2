import { createBoundedMap } from '../../lib/bounded-map.ts';
import { parseEntry, type Senses, type WordEntry } from './word-entry.ts';

/** Entries by stem. */
export interface WordTable {
  entryOf(stem: string): WordEntry | undefined;
  /** The senses of each stem of a vocabulary, cached as long as that list exists. */
  sensesOf(stems: readonly string[]): readonly (readonly Senses[])[];
}

const NO_SENSES: readonly Senses[] = [];

/** Knows no words. */
export const NO_WORDS: WordTable = { entryOf: () => undefined, sensesOf: (stems) => stems.map(() => NO_SENSES) };

/** Entries kept after they were parsed, the misses too. */
const MAX_CACHED = 50_000;
const BUCKET_BYTES = 4;
const TAB = 0x09;
const NEWLINE = 0x0a;

/**
 * A table in one buffer, of which nothing is read in advance: a number of buckets (a power of two), a bucket for each hash
 * with the offset of an entry, or 0, and lines that begin with the stem. Stems with the same hash take the next buckets.
 */
export function encodeTable(lines: ReadonlyMap<string, string>): Buffer {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, lines.size) * 1.15));
  const start = BUCKET_BYTES * (count + 1);
  const buckets = Buffer.alloc(start);
  buckets.writeUInt32LE(count);
  const texts: string[] = [];
  let offset = start;
  for (const [stem, line] of lines) {
    const text = `${stem}\t${line}\n`;
    let bucket = hashOf(stem) & (count - 1);
    while (buckets.readUInt32LE(BUCKET_BYTES * (bucket + 1)) !== 0) bucket = (bucket + 1) & (count - 1);
    buckets.writeUInt32LE(offset, BUCKET_BYTES * (bucket + 1));
    texts.push(text);
    offset += text.length;
  }
  return Buffer.concat([buckets, Buffer.from(texts.join(''), 'latin1')]);
}

/** Decodes the entries of a table on demand. */
export function createWordTable(table: Buffer): WordTable {
  const count = table.readUInt32LE();
  const cache = createBoundedMap<string, WordEntry | null>(MAX_CACHED);
  const find = (stem: string): WordEntry | undefined => {
    for (let bucket = hashOf(stem) & (count - 1); ; bucket = (bucket + 1) & (count - 1)) {
      const offset = table.readUInt32LE(BUCKET_BYTES * (bucket + 1));
      if (offset === 0) return undefined;
      const end = offset + stem.length;
      if (table[end] !== TAB || table.toString('latin1', offset, end) !== stem) continue;
      return parseEntry(table.toString('latin1', end + 1, table.indexOf(NEWLINE, end)));
    }
  };
  const entryOf = (stem: string): WordEntry | undefined => {
    const known = cache.get(stem);
    if (known !== undefined) return known ?? undefined;
    const entry = find(stem);
    cache.set(stem, entry ?? null);
    return entry;
  };
  const senses = new WeakMap<readonly string[], readonly (readonly Senses[])[]>();
  return {
    entryOf,
    sensesOf(stems) {
      const found = senses.get(stems) ?? stems.map((stem) => entryOf(stem)?.senses ?? NO_SENSES);
      senses.set(stems, found);
      return found;
    },
  };
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
