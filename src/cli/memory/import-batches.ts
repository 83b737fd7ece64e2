import type { ImportEntry } from './import-lines.ts';

/** The daemon takes 500 memories and 1 MiB at once. */
const MOST_ENTRIES = 500;
const MOST_BYTES = 900_000;

/** Fills a batch; the same lines make the same batches. */
export function createBatcher() {
  let batch: ImportEntry[] = [];
  let bytes = 0;
  const take = (): ImportEntry[] => {
    const full = batch;
    batch = [];
    bytes = 0;
    return full;
  };
  return {
    /** Adds an entry and returns the batch before it where that is full. */
    add(entry: ImportEntry): ImportEntry[] | undefined {
      const size = Buffer.byteLength(JSON.stringify(entry.memory)) + 1;
      const full = batch.length >= MOST_ENTRIES || (batch.length > 0 && bytes + size > MOST_BYTES) ? take() : undefined;
      batch.push(entry);
      bytes += size;
      return full;
    },
    /** What is left at the end. */
    rest: take,
  };
}
