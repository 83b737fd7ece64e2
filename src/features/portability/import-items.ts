import type { NewMemory } from '../../contract/memories.ts';
import type { PortableRecord } from '../../contract/portability.ts';
import type { LeftOut } from './fate.ts';

/** What a reader finds at a place of a file. Nothing of it is checked against the contract yet. */
export type ImportItem =
  | { place: string; record: PortableRecord }
  /** A memory as a caller adds one: it gets an id here. */
  | { place: string; memory: NewMemory }
  | ({ place: string } & LeftOut)
  /** The first and the last line of an export. */
  | { place: string; mark: 'head' | 'end' };

/** What the caller says about all that is in a file. */
export interface ImportGiven {
  nowMs: number;
  /** Whose things they are, where the file does not say. */
  user: string;
  tags: readonly string[];
}

/** Reads a file of one format. */
export type ReadItems = (bytes: AsyncIterable<Uint8Array>, given: ImportGiven) => AsyncGenerator<ImportItem>;
