import type { ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { CandidateQuery, FoundRows } from './sources-sqlite.ts';

/** What is known of a candidate beside the words: enough for the signals, without its text. */
export interface CandidateFacts {
  number: number;
  id: string;
  /** When it began and ended, epoch milliseconds. */
  at: number;
  until: number;
  speaker: string | null;
  /** Characters of its text. */
  length: number;
  traits: number;
  dates: string | null;
  /** Of the message before it. */
  traitsBefore: number;
}

/** What one of the indices found, or what stands beside it, with the scores of its words (higher is better). */
export interface Candidate {
  type: ItemType;
  facts: CandidateFacts;
  scores: {
    lexical: number;
    /** Words nearly like those that nobody wrote. */
    trigram: number;
    window: number;
    session: number;
    /** The words of its neighbours. */
    context: number;
    /** The words of the message before it. */
    before: number;
    /** The cosine of its vector with that of the query; absent where it has none, or the query has none. */
    vector?: number | undefined;
  };
}

export interface FoundCandidates {
  candidates: Candidate[];
  /** Words of the query that are names of people who said something. */
  speakers: ReadonlySet<string>;
  /** Words of the query that stand nowhere. */
  unknown: readonly string[];
}

/** Finds candidates on one engine; the signals and their fusion are the same for every engine. */
export interface CandidateSearch {
  /** With a vector of the query, which may still be on its way, what is nearest to it is found too. */
  find(reader: Reader, query: CandidateQuery, vector?: Promise<QueryVector | undefined>): Promise<FoundCandidates>;
  /** The rows of candidates, whole, by their numbers; those that are gone meanwhile are not among them. */
  load<T extends ItemType>(
    reader: Reader,
    query: CandidateQuery,
    type: T,
    numbers: readonly number[],
  ): Promise<Map<number, FoundRows[T]>>;
}
