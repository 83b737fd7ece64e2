import type { SkipReason } from '../../../contract/import-outcome.ts';
import type { NewMemory } from '../../../contract/memories.ts';
import type { PortableRecord } from '../../../contract/portability.ts';
import type { CheckRecord } from '../record-check.ts';

/** An item as a reader yields it. Records and memories conform to the contract. */
export type ParsedItem =
  | { record: PortableRecord }
  /** A memory as a client adds it: it gets a new id. */
  | { memory: NewMemory }
  | SkipReason
  /** The first and the last line of an export. */
  | { marker: 'head' | 'end' };

/** A parsed item and its location in the file. */
export type ImportItem = { place: string } & ParsedItem;

export interface ReaderOptions {
  /** Whose time slices long lines take. */
  tenantId: string;
  nowMs: number;
  /** The user of items that name none. */
  user: string;
  /** Added to every memory. */
  tags: readonly string[];
  check: CheckRecord;
}

/** Reads a file of one format as it streams in. */
export type ImportReader = (bytes: AsyncIterable<Uint8Array>, options: ReaderOptions) => AsyncGenerator<ImportItem>;
