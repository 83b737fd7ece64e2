import type { SearchAnswer, SearchResult } from '../../contract/search.ts';
import type { FoundCandidates } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';
import type { Successors } from './result-page.ts';
import type { StageTimings } from './stage-timings.ts';

/** An answer, and what to call with the ids of the results that were shown. */
export interface Answered {
  answer: SearchAnswer;
  parsed: ParsedQuery;
  found: FoundCandidates;
  /** Weights of the query's terms. */
  weights: FoundCandidates['weights'];
  /** What a context may show; empty unless the request asks for one. */
  contextResults: readonly SearchResult[];
  /** Messages that may take the place of some results, for a prompt. */
  later: readonly SearchResult[];
  /** Whether somebody rejected that a newer memory takes the place of an older one, both of which were found. */
  isRejected: Successors['isRejected'];
  /** Without the query, neither its words nor its project are stored. */
  remember: (shownIds: readonly string[], options?: { withQuery: boolean }) => void;
  stages: StageTimings;
}
