import { AppError } from '../../contract/errors.ts';
import {
  type ContextAnswer,
  type ContextRequest,
  ITEM_TYPES,
  type ItemType,
  type SearchAnswer,
  type SearchRequest,
} from '../../contract/search.ts';
import type { Database } from '../../db/open.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import { noModel, type QueryEmbedder } from '../embeddings/query-embedder.ts';
import type { Principal } from '../keys/keys.ts';
import type { Learning } from '../learning/learning.ts';
import type { Usage } from '../limits/usage.ts';
import type { Scopes } from '../text/scopes.ts';
import type { Candidate, CandidateSearch, FoundCandidates } from './candidate.ts';
import { composeContext } from './context.ts';
import type { Fused } from './fusion.ts';
import { bucketOfQuery, rankCandidates, toRemembered } from './learned-order.ts';
import { type Question, readQuestion } from './question.ts';
import { type LoadedHit, toResult } from './search-results.ts';
import type { CandidateQuery, FoundRows } from './sources-sqlite.ts';

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
  candidates: CandidateSearch;
  meaning: QueryEmbedder;
  loadTokenCounter: () => Promise<CountTokens>;
}

const NO_PAST = 'A search by meaning knows the present only: leave asOf out, or the strategy.';
const POOL = 80;
const NOTHING: FoundCandidates = { candidates: [], speakers: new Set(), unknown: [] };
/** A context draws on this many results; the budget decides how many it shows. */
const CONTEXT_RESULTS = 100;

export function createSearch(parts: Parts): Search {
  const { db, clock, ids, log, usage, scopes, learning, candidates, meaning, loadTokenCounter } = parts;

  /** The quota is counted beside the search, not before it; a search that fails is given back. */
  async function asOneQuery<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
    const [counted, done] = await Promise.allSettled([usage.takeQuery(principal), work()]);
    if (counted.status === 'rejected') throw counted.reason;
    if (done.status === 'fulfilled') return done.value;
    await usage.refundQuery(principal).catch((error) => log.warn({ error }, 'could not give back a failed query'));
    throw done.reason;
  }

  async function queryOf(
    principal: Principal,
    request: SearchRequest,
    question: Question,
    pool: number,
  ): Promise<CandidateQuery | undefined> {
    const place = { tenantId: principal.tenantId, endUser: request.user ?? 'default' };
    const asOfMs = parseInstant(request.asOf, '/asOf');
    const afterMs = parseInstant(request.filter?.after, '/filter/after');
    const beforeMs = parseInstant(request.filter?.before, '/filter/before');
    const scope = await scopes.find(db.readers, place);
    if (scope === undefined) return undefined;
    return {
      ...place,
      scope,
      terms: question.terms,
      months: question.months,
      ...(request.types && { types: request.types }),
      filter: { ...request.filter, afterMs, beforeMs },
      asOfMs,
      nowMs: clock.nowMs(),
      pool,
    };
  }

  /**
   * On its way while words are looked up. What was true at a time that has passed has no vectors. Throws, for a search
   * by meaning alone, `unprocessable` where that is impossible and `unavailable` where the model does not answer.
   */
  function meaningOf(
    { tenantId }: Principal,
    { query, asOf, strategy }: SearchRequest,
  ): Promise<QueryVector | undefined> | undefined {
    const isNeeded = strategy === 'semantic';
    if (isNeeded && asOf !== undefined) throw new AppError('unprocessable', NO_PAST);
    if (asOf !== undefined || strategy === 'lexical') return undefined;
    const asked = meaning.vectorOf(tenantId, query);
    if (isNeeded && asked === undefined) throw noModel();
    const vector = asked?.then((found) => {
      if (!(found instanceof AppError)) return found;
      if (isNeeded) throw found;
      return undefined;
    });
    // Where the search fails before it waits for it, nobody else takes a failure.
    vector?.catch(() => {});
    return vector;
  }

  /** The rows of the best, in their order. */
  async function load(query: CandidateQuery, hits: readonly Fused<Candidate>[]): Promise<LoadedHit[]> {
    const rows = await Promise.all(
      ITEM_TYPES.map(async (type) => {
        const numbers = hits.filter(({ item }) => item.type === type).map(({ item }) => item.facts.number);
        return [type, await candidates.load(db.readers, query, type, numbers)] as const;
      }),
    );
    const byType = new Map<ItemType, ReadonlyMap<number, FoundRows[ItemType]>>(rows);
    return hits.flatMap((hit) => {
      const row = byType.get(hit.item.type)!.get(hit.item.facts.number);
      return row ? [{ ...hit, row }] : [];
    });
  }

  async function answer(principal: Principal, request: SearchRequest): Promise<[SearchAnswer, Shown]> {
    const startMs = clock.monotonicMs();
    const { limit = 10, strategy = 'auto', explain = false } = request;
    const nowMs = clock.nowMs();
    const question = readQuestion(request.query, nowMs);
    const query = await queryOf(principal, request, question, Math.max(POOL, limit));
    const vector = meaningOf(principal, request);
    const found = query === undefined ? NOTHING : await candidates.find(db.readers, query, vector);
    const place = { tenantId: principal.tenantId, endUser: request.user ?? 'default' };
    const bucket = bucketOfQuery(request.query, question, found);
    const learned = strategy === 'auto' ? await learning.rankingFor(place, bucket) : undefined;
    const { ranked, byDefault, weights } = rankCandidates(found, question, nowMs, strategy, learned);
    const hits = query === undefined ? [] : await load(query, ranked.slice(0, limit));
    const searchId = ids.next('srch');
    const ranksOf = ({ item }: LoadedHit, index: number) =>
      explain ? { rank: index + 1, defaultRank: byDefault.findIndex((hit) => hit.item === item) + 1 } : undefined;
    const answered: SearchAnswer = {
      searchId,
      results: hits.map((hit, index) => toResult(hit, weights, ranksOf(hit, index))),
      strategy: {
        name: learned || strategy !== 'auto' ? strategy : 'default',
        weights,
        learnedFrom: learned?.events ?? 0,
      },
      ...(explain && strategy === 'auto' && { learned: learned?.explain() ?? learning.unlearned(bucket) }),
      tookMs: Math.round((clock.monotonicMs() - startMs) * 100) / 100,
    };
    const remembered = { ...place, searchId, bucket, byDefault: toRemembered(byDefault) };
    return [answered, (shownIds) => learning.remember({ ...remembered, shownIds })];
  }

  return {
    search: (principal, request) =>
      asOneQuery(principal, async () => {
        const [answered, shown] = await answer(principal, request);
        shown(answered.results.map(({ id }) => id));
        return answered;
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
