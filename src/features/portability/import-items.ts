import type { LeftOut } from '../../contract/import-outcome.ts';
import type { NewMemory } from '../../contract/memories.ts';
import type { PortableRecord } from '../../contract/portability.ts';
import type { CheckRecord } from './record-check.ts';

/** What a reader finds in a file; what is to be brought in holds to the contract. */
export type Found =
  | { record: PortableRecord }
  /** A memory as a caller adds one: it gets an id here. */
  | { memory: NewMemory }
  | LeftOut
  /** The first and the last line of an export. */
  | { mark: 'head' | 'end' };

/** It, and where in the file that is, for a person. */
export type ImportItem = { place: string } & Found;

/** What a reader is given beside the file. */
export interface ImportGiven {
  nowMs: number;
  /** Whose things they are, where the file does not say. */
  user: string;
  /** What every memory gets. */
  tags: readonly string[];
  check: CheckRecord;
}

/** Reads a file of one format. */
export type ReadItems = (bytes: AsyncIterable<Uint8Array>, given: ImportGiven) => AsyncGenerator<ImportItem>;
