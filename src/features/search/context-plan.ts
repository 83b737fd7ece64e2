import type { ContextRequest, SearchRequest, SearchResult } from '../../contract/search.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { type CountTokens, quickCounter } from '../../outside/tokens.ts';
import type { Answered } from './answered.ts';
import { CONTEXT_RESULTS } from './candidate-query.ts';
import { composeContext } from './context.ts';
import { promptSubject } from './prompt-subject.ts';
import { chooseUnasked, MAX_UNASKED, UNASKED_TYPES, withoutExcluded } from './unasked.ts';

/** A search, and whether it is for a prompt, for which nobody asked for memories. */
export interface PlannedSearch extends SearchRequest {
  isUnasked?: boolean;
}

/** What a context is made of, in one space or several. */
export interface ContextPlan {
  search: PlannedSearch;
  /** The most results of a context. */
  limit: number;
  /** Chooses from what was found in a tenant's turn. */
  choose(
    answered: Pick<Answered, 'answer' | 'parsed' | 'weights' | 'later' | 'isRejected'>,
    tenantId: string,
  ): Promise<SearchResult[]>;
  compose(
    results: readonly SearchResult[],
    weights: Answered['weights'],
    countTokens: CountTokens,
  ): ReturnType<typeof composeContext>;
}

/** Plans a context. For a prompt, for which nobody asked for memories, it holds little: what is likely to be of use. */
export function planContext({ maxTokens = 1000, explain: _, purpose, exclude, ...asked }: ContextRequest): ContextPlan {
  const isUnasked = purpose === 'prompt';
  const query = isUnasked ? promptSubject(asked.query) : asked.query;
  return {
    search: { ...(isUnasked && { types: UNASKED_TYPES }), ...asked, query, limit: CONTEXT_RESULTS, isUnasked },
    limit: isUnasked ? MAX_UNASKED : CONTEXT_RESULTS,
    async choose({ answer: { results }, parsed: { voice, reading, asksForPast }, ...answered }, tenantId) {
      if (!isUnasked) return withoutExcluded(results, exclude);
      const { weights, later, isRejected } = answered;
      const unasked = { exclude, voice, weights, reading, asksForPast, later, isRejected };
      return runInSlices(chooseUnasked(results, unasked), tenantId);
    },
    compose: async (results, weights, exactCounter) => {
      const countTokens = isUnasked ? await quickCounter(exactCounter) : exactCounter;
      return composeContext(results, weights, { maxTokens, countTokens, isUnasked });
    },
  };
}
