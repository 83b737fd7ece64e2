import type { SearchAnswer, SearchResult } from '../../contract/search.ts';
import type { FoundCandidates } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';
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
  remember: (shownIds: readonly string[]) => void;
  stages: StageTimings;
}
