import type { Message } from '../../contract/conversations.ts';
import type { ProjectFilter } from '../../contract/project.ts';
import type { ItemType, SearchFilter } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { MessageRow } from '../conversations/conversations.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { EpisodeRow } from '../episodes/episodes.ts';
import type { SearchReading } from '../languages/search-words.ts';
import type { LearnedMatches } from '../learning/learning.ts';
import type { MemoryRow } from '../memories/memories.ts';
import type { Coverage } from './coverage.ts';
import type { RelatedRoots } from './foreign-query.ts';
import type { Phrases } from './phrases.ts';
import type { Numbers } from './scores.ts';

/** The terms to look for, the user whose items to search, and how many candidates to find. */
export interface CandidateQuery {
  tenantId: string;
  endUser: string;
  scope: number;
  /** Folded query terms. */
  terms: readonly string[];
  phrases?: Phrases;
  /** Finds by these terms and their forms alone, not by words related to them. */
  ownWords?: boolean;
  /** The words of the query's language; absent for English. */
  reading?: SearchReading | undefined;
  /** By term, the roots of words related to it, where the language is not English. */
  related?: ReadonlyMap<string, RelatedRoots> | undefined;
  /** The terms of each way of asking; absent for a single one. */
  ways?: readonly (readonly string[])[] | undefined;
  /** Months the query names, as index terms: rows dated in them are candidates whatever their words. */
  months: readonly string[];
  /** Defaults to all types. */
  types?: readonly ItemType[];
  filter: SearchFilter & {
    afterMs?: number | undefined;
    beforeMs?: number | undefined;
    project?: ProjectFilter | undefined;
  };
  asOfMs: number | undefined;
  /** Finds memories that are no longer valid too. */
  includeSuperseded?: boolean | undefined;
  nowMs: number;
  /** Where the query's words lead by what was used for them before. */
  learned?: LearnedMatches;
  /** How many candidates of each type to find. */
  pool: number;
}

/** Everything the signals need about a row except its text. */
export interface CandidateFacts {
  rowId: number;
  id: string;
  /** Start and end, epoch milliseconds. */
  at: number;
  until: number;
  speaker: string | null;
  /** `null` for an item outside conversations. */
  role: Message['role'] | null;
  /** Characters of text. */
  length: number;
  traits: number;
  dates: string | null;
  /** Traits of the preceding message. */
  traitsBefore: number;
  /** The beginning of its text, where the query needs it. */
  text?: string;
}

/** A row that an index found, or a neighbor of one, with its raw scores (higher is better). */
export interface Candidate {
  type: ItemType;
  facts: CandidateFacts;
  coverage: Coverage;
  /** Share of the query's words that name a category of which the row holds a member. */
  category: number;
  /** Share of the weight of the query's words that lead to the row because it was used for them before. */
  learnedWords: number;
  scores: {
    lexical: number;
    /** Terms spelled like query terms that occur nowhere. */
    trigram: number;
    window: number;
    session: number;
    /** Lexical scores of the neighbors. */
    context: number;
    /** Lexical score of the preceding message. */
    before: number;
    /** Cosine similarity to the query; absent where either has no vector. */
    vector?: number | undefined;
  };
}

/** A word that memories hold instead of a query term. */
export interface RelatedMatch {
  term: string;
  /** Its stem. */
  stem: string;
  /** How much it weighs for the term, between 0 and 1. */
  similarity: number;
  rowIds: Numbers;
}

export interface FoundCandidates {
  candidates: Candidate[];
  /** Query terms that are names of speakers. */
  speakers: ReadonlySet<string>;
  /** Query terms that occur nowhere. */
  unknown: readonly string[];
  /** Weight of each query term that counts, by its root (`rootOf`). */
  weights: ReadonlyMap<string, number>;
  related: readonly RelatedMatch[];
  /** How many memories the user has. */
  memories: number;
  /** The model that embedded the query; absent without a vector. */
  model?: number | undefined;
}

export const NO_CANDIDATES: FoundCandidates = {
  candidates: [],
  speakers: new Set(),
  unknown: [],
  weights: new Map(),
  related: [],
  memories: 0,
};

/** Whole rows by type. */
export interface ItemRows {
  memory: MemoryRow;
  message: MessageRow & { endUser: string; project: string | null };
  episode: EpisodeRow;
}

/** Finds candidates, the same on every database engine. */
export interface CandidateSearch {
  /** Given the query's vector, which may still be pending, also finds its nearest neighbors. */
  find(reader: Reader, query: CandidateQuery, vector?: Promise<QueryVector | undefined>): Promise<FoundCandidates>;
  /** Loads whole rows by id; rows deleted in the meantime are missing from the result. */
  load<T extends ItemType>(
    reader: Reader,
    query: CandidateQuery,
    type: T,
    rowIds: readonly number[],
  ): Promise<Map<number, ItemRows[T]>>;
  /** Reads which items of a type hold each of some words, in any form; those that the query may not show may be among them. */
  readHolding(reader: Reader, query: CandidateQuery, type: ItemType, words: readonly string[]): Promise<Numbers[]>;
  /** Reads the facts of items by row; those that the query may not show are missing. */
  readFacts(
    reader: Reader,
    query: CandidateQuery,
    type: ItemType,
    rowIds: readonly number[],
  ): Promise<ReadonlyMap<number, CandidateFacts>>;
}

/** Breaks ties by recency, then by id: both survive an export, unlike row ids. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.facts.at - a.facts.at || (a.facts.id < b.facts.id ? 1 : -1);
}
