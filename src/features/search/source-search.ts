import type { Reader } from '../../db/connection.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { WordTotals } from '../text/word-totals.ts';
import type { CandidateQuery } from './candidate.ts';
import type { Postings } from './postings.ts';
import { type Source, visibleConditions } from './sources-store.ts';

/** One query against one source. Every statement that finds its candidates is built from this. */
export interface SourceSearch {
  reader: Reader;
  query: CandidateQuery;
  source: Source;
  engine: SearchEngine;
  /** Totals over the user's documents. */
  totals: WordTotals;
  /** Whether index lookups join the rows so that they return only those the query may show. */
  visibleOnly: boolean;
}

/** The indexes of one database engine. Unless a search is `visibleOnly`, hidden rows may be among what they find. */
export interface SearchEngine {
  postings: Postings;
  /** The newest rows dated in one of the query's months; said by one of `speakers` where there are any. */
  dated(search: SourceSearch, found: { speakers: readonly string[]; limit: number }): Promise<number[]>;
  /** The `limit` nearest neighbors of a vector among the user's, best first, as cosines by row id. */
  nearest(search: SourceSearch, vector: QueryVector, limit: number): Promise<ReadonlyMap<number, number>>;
  /** The cosines of those rows that have a vector. */
  cosines(search: SourceSearch, vector: QueryVector, rowIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** Index lookups skip the join, which is slower, where the query may show every current row. */
export function createSourceSearch(parts: Omit<SourceSearch, 'visibleOnly'>): SourceSearch {
  const { reader, query, source } = parts;
  const isFiltered = visibleConditions(source, query, reader.engine).length > source.visible(query).length + 1;
  return { ...parts, visibleOnly: coversPast(query) || isFiltered };
}

/** The partitions of the full-text index that can hold rows for this query. */
export function partsOf({ query, source }: SourceSearch): readonly ('live' | 'past')[] {
  return coversPast(query) ? source.partsThen : ['live'];
}

function coversPast({ asOfMs, includeSuperseded = false }: CandidateQuery): boolean {
  return asOfMs !== undefined || includeSuperseded;
}
