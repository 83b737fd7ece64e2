import { projectFilterOf } from '../../contract/project.ts';
import type { SearchRequest } from '../../contract/search.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { UserKey } from '../learning/learning.ts';
import type { CandidateQuery } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';

/** Candidates to find of each type. */
const MIN_POOL = 80;
const DEFAULT_LIMIT = 10;
/** Results that a context chooses from, until its budget is used up. */
export const CONTEXT_RESULTS = 100;

/** Returns what to look for in each index. Throws `invalid_request` for a timestamp that is not one. */
export function toCandidateQuery(
  user: UserKey,
  request: SearchRequest,
  { terms, phrases, months, reading, related, ways }: ParsedQuery,
  nowMs: number,
): Omit<CandidateQuery, 'scope'> {
  const asOfMs = parseInstant(request.asOf, '/asOf');
  const afterMs = parseInstant(request.filter?.after, '/filter/after');
  const beforeMs = parseInstant(request.filter?.before, '/filter/before');
  const filter = { ...request.filter, afterMs, beforeMs, project: projectFilterOf(request, '/') };
  const types = request.types && { types: request.types };
  return {
    ...user,
    terms,
    phrases,
    reading,
    related,
    ways,
    months,
    ...types,
    filter,
    asOfMs,
    includeSuperseded: request.includeSuperseded,
    nowMs,
    pool: Math.max(MIN_POOL, limitOf(request), request.contextTokens === undefined ? 0 : CONTEXT_RESULTS),
  };
}

/** Returns how many results a search answers at most. */
export function limitOf({ limit = DEFAULT_LIMIT }: SearchRequest): number {
  return limit;
}
