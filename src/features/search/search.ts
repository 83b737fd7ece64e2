import type { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { Principal } from '../keys/keys.ts';
import type { Learning } from '../learning/learning.ts';
import type { Usage } from '../limits/usage.ts';
import { instantOf } from '../memories/memories.ts';
import type { Scopes } from '../memories/scopes.ts';
import type { Candidate, FindCandidates } from './candidates-sqlite.ts';
import { composeContext } from './context.ts';
import { bucketOfQuery, rankCandidates, toAnswered } from './learned-order.ts';
import { toResult } from './search-results.ts';

/** Recall: candidates (by engine), then signals, then fusion, then the page. */
export interface Search {
  /** Counts as one query; one that fails does not count. Throws `quota_exceeded`. */
  search(principal: Principal, request: SearchRequest): Promise<SearchAnswer>;
  /** A block of text for a prompt, within the token budget. Counts as one query. */
  context(principal: Principal, request: ContextRequest): Promise<ContextAnswer>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  usage: Usage;
  scopes: Scopes;
  learning: Learning;
  findCandidates: FindCandidates;
  loadTokenCounter: () => Promise<CountTokens>;
}

const POOL = 50;
/** A context draws on this many results; the budget decides how many it shows. */
const CONTEXT_RESULTS = 100;

export function createSearch(parts: Parts): Search {
  const { db, clock, ids, log, usage, scopes, learning, findCandidates, loadTokenCounter } = parts;

  /** The quota is counted beside the search, not before it; a search that fails is given back. */
  async function asOneQuery<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
    const [counted, done] = await Promise.allSettled([usage.takeQuery(principal), work()]);
    if (counted.status === 'rejected') throw counted.reason;
    if (done.status === 'fulfilled') return done.value;
    await usage.returnQuery(principal).catch((error) => log.warn({ error }, 'could not give back a failed query'));
    throw done.reason;
  }

  async function find(principal: Principal, request: SearchRequest, limit: number): Promise<Candidate[]> {
    const place = { tenantId: principal.tenantId, endUser: request.user ?? 'default' };
    const asOfMs = instantOf(request.asOf, '/asOf') ?? undefined;
    const afterMs = instantOf(request.filter?.after, '/filter/after') ?? undefined;
    const beforeMs = instantOf(request.filter?.before, '/filter/before') ?? undefined;
    const scope = await scopes.find(db.readers, place);
    if (scope === undefined) return [];
    return findCandidates(db.readers, {
      ...place,
      scope,
      query: request.query,
      ...(request.types && { types: request.types }),
      filter: { ...request.filter, afterMs, beforeMs },
      asOfMs,
      nowMs: clock.nowMs(),
      pool: Math.max(POOL, limit),
    });
  }

  async function answer(principal: Principal, request: SearchRequest): Promise<[SearchAnswer, Shown]> {
    const startMs = clock.monotonicMs();
    const limit = request.limit ?? 10;
    const place = { tenantId: principal.tenantId, endUser: request.user ?? 'default' };
    const bucket = bucketOfQuery(request.query);
    const strategy = request.strategy ?? 'auto';
    const [candidates, learned] = await Promise.all([
      find(principal, request, limit),
      strategy === 'auto' ? learning.rankingFor(place, bucket) : undefined,
    ]);
    const { fused, byDefault, weights } = rankCandidates(candidates, clock.nowMs(), strategy, learned);
    const searchId = ids.next('srch');
    const explained = (hit: Candidate, index: number) =>
      request.explain
        ? { rank: index + 1, defaultRank: byDefault.findIndex(({ item }) => item === hit) + 1 }
        : undefined;
    const found: SearchAnswer = {
      searchId,
      results: fused.slice(0, limit).map((hit, index) => toResult(hit, weights, explained(hit.item, index))),
      strategy: {
        name: learned || strategy !== 'auto' ? strategy : 'default',
        weights,
        learnedFrom: learned?.events ?? 0,
      },
      ...(request.explain && learned && { learned: learned.explain() }),
      tookMs: Math.round((clock.monotonicMs() - startMs) * 100) / 100,
    };
    return [
      found,
      (shownIds) => learning.remember({ ...place, searchId, bucket, byDefault: toAnswered(byDefault), shownIds }),
    ];
  }

  return {
    search: (principal, request) =>
      asOneQuery(principal, async () => {
        const [found, shown] = await answer(principal, request);
        shown(found.results.map(({ id }) => id));
        return found;
      }),
    context: (principal, { maxTokens = 1000, ...request }) =>
      asOneQuery(principal, async () => {
        const [{ searchId, results }, shown] = await answer(principal, { ...request, limit: CONTEXT_RESULTS });
        const context = await composeContext(results, maxTokens, await loadTokenCounter());
        shown(context.citations.map(({ id }) => id));
        return { searchId, ...context };
      }),
  };
}

/** Tells the learning which results were shown. */
type Shown = (ids: readonly string[]) => void;
