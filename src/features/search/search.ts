import {
  type ContextAnswer,
  type ContextRequest,
  ITEM_TYPES,
  type ItemType,
  type SearchAnswer,
  type SearchRequest,
  type Strategy,
} from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import { UNKNOWN_CLIENT } from '../activity/client-name.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { QueryEmbedder } from '../embeddings/query-embedder.ts';
import type { Principal } from '../keys/keys.ts';
import type { LearnedRanking, Learning, UserKey } from '../learning/learning.ts';
import { createTenantLimiter } from '../limits/tenant-limiter.ts';
import type { Usage } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import { agreementOf } from './agreement.ts';
import type { Answered } from './answered.ts';
import { type AttributeQuestion, attributeQuestionOf } from './attribute-followers.ts';
import { type CandidateQuery, type CandidateSearch, type ItemRows, NO_CANDIDATES } from './candidate.ts';
import { CONTEXT_RESULTS, limitOf, toCandidateQuery } from './candidate-query.ts';
import { composeContext } from './context.ts';
import { type PlannedSearch, planContext } from './context-plan.ts';
import { findFollowers } from './followers.ts';
import type { Weights } from './fusion.ts';
import { findLaterMessages } from './later-messages.ts';
import { type ParsedQuery, parseQuery, withWordings } from './parsed-query.ts';
import { findQueryVector } from './query-vector.ts';
import { bucketOfQuery, matchesOf, rankMatches, toRemembered } from './ranking.ts';
import { rate } from './relevance.ts';
import { hitsToLoad, pageOf, type Successors, toStatement } from './result-page.ts';
import { createSearchOfSeveral, type SearchOfSeveral } from './search-of-several.ts';
import { type Explained, type LoadedHit, type RatedHit, toResults } from './search-results.ts';
import { createStageTimings, type StageTimings } from './stage-timings.ts';
import { MAX_UNASKED } from './unasked.ts';

/** Recall: candidates (by engine), then signals, then fusion, then the page of results. */
export interface Search extends SearchOfSeveral {
  /** Counts as one query unless it fails. Throws `quota_exceeded`. */
  search(principal: Principal, request: SearchRequest): Promise<SearchAnswer>;
  /** Returns a block of text for a prompt, within the token budget. Counts as one query unless it fails. */
  context(principal: Principal, request: ContextRequest): Promise<ContextAnswer>;
  /** Searches and contexts that wait for others of their tenant. */
  waiting(): number;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  usage: Usage;
  scopes: Scopes;
  learning: Learning;
  candidates: CandidateSearch;
  memories: Pick<Memories, 'findRowsWithin' | 'successorsOf'>;
  queryEmbedder: QueryEmbedder;
  tokenCounterOf: (tenantId: string) => CountTokens;
  /** Finds what suggestions put in the place of some memories. */
  possibleSuccessors: (reader: Reader, tenantId: string, memoryIds: readonly string[]) => Promise<Successors>;
  /** Composes the context for the start of a session. */
  startSession: (principal: Principal, request: ContextRequest) => Promise<ContextAnswer>;
}

/** A request with what its text says and the vector of its model. */
interface Asked {
  user: UserKey;
  /** The client that searches; `null` if unknown. */
  client: string | null;
  request: PlannedSearch;
  parsed: ParsedQuery;
  attribute: AttributeQuestion | undefined;
  query: Omit<CandidateQuery, 'scope'>;
  vector: Promise<QueryVector | undefined> | undefined;
  nowMs: number;
  stages: StageTimings;
}

/** How many memories may have taken the place of one, each of the one before it. */
const MAX_SUCCESSIONS = 8;
/** Waiting searches per tenant. */
const MAX_WAITING = 2000;

/** Runs each search as candidates, ranking, rows and results; see `answer`. */
export function createSearch(dependencies: Dependencies): Search {
  const { db, clock, ids, log, usage, scopes, learning, candidates, queryEmbedder, tokenCounterOf, startSession } =
    dependencies;
  const { memories, possibleSuccessors } = dependencies;
  // A tenant searches on half of the readers, at least on one.
  const maxActive = Math.max(1, Math.floor(db.readers.count / 2));
  const limiter = createTenantLimiter({ maxActive, maxWaiting: MAX_WAITING, of: 'searches' });

  const refund = (principal: Principal) =>
    usage.refundQuery(principal).catch((error) => log.warn({ error }, 'could not refund a failed query'));

  /**
   * Takes from the quota while the search runs, and refunds a search that fails. `then` sees what was counted: a search past
   * the quota is not remembered, or its results could be read from the list of searches.
   */
  async function countQuery<T>(
    principal: Principal,
    run: () => Promise<T>,
    then: (result: T) => void = () => {},
  ): Promise<T> {
    const [counted, result] = await Promise.allSettled([usage.takeQuery(principal), run()]);
    if (counted.status === 'rejected') throw counted.reason;
    if (result.status === 'rejected') {
      await refund(principal);
      throw result.reason;
    }
    then(result.value);
    return result.value;
  }

  /** Loads the rows of the hits; a hit whose row was deleted in the meantime is left out. */
  async function loadHits(reader: Reader, query: CandidateQuery, hits: readonly RatedHit[]): Promise<LoadedHit[]> {
    const rows = await Promise.all(
      ITEM_TYPES.map(async (type) => {
        const rowIds = hits.filter(({ item }) => item.type === type).map(({ item }) => item.facts.rowId);
        return [type, await candidates.load(reader, query, type, rowIds)] as const;
      }),
    );
    const byType = new Map<ItemType, ReadonlyMap<number, ItemRows[ItemType]>>(rows);
    return hits.flatMap((hit) => {
      const row = byType.get(hit.item.type)!.get(hit.item.facts.rowId);
      return row ? [{ ...hit, row }] : [];
    });
  }

  /** Loads what may have taken the place of hits and was not found itself, such as "I moved to Graz" for "where do I live". */
  async function loadSuccessors(
    reader: Reader,
    query: CandidateQuery,
    loaded: readonly LoadedHit[],
    rated: readonly RatedHit[],
    successors: ReadonlyMap<string, string>,
  ): Promise<LoadedHit[]> {
    const isLoaded = new Set(loaded.map(({ item }) => item.facts.id));
    const missing = new Map<string, LoadedHit>();
    for (const older of loaded) {
      const newerId = successors.get(older.item.facts.id);
      if (newerId !== undefined && !isLoaded.has(newerId) && !missing.has(newerId)) missing.set(newerId, older);
    }
    if (missing.size === 0) return [];
    const found = await memories.findRowsWithin(reader, query.tenantId, [...missing.keys()]);
    const rows = found.filter(({ endUser, validTo }) => endUser === query.endUser && validTo === null);
    const factsOf = await candidates.readFacts(
      reader,
      query,
      'memory',
      rows.map(({ number }) => number),
    );
    return rows.flatMap((row) => {
      const facts = factsOf.get(row.number);
      if (facts === undefined) return [];
      // One that was found, but too far behind for the page.
      const own = rated.find(({ item }) => item.facts.id === facts.id);
      if (own) return [{ ...own, row }];
      const older = missing.get(facts.id)!;
      return [
        { ...older, item: { ...older.item, type: 'memory', facts }, row, standsFor: older.standsFor ?? older.item },
      ];
    });
  }

  /** Finds messages that say what no longer holds, each with the memory that took the place of theirs. */
  async function replacedMessages(
    reader: Reader,
    { tenantId, types }: CandidateQuery,
    loaded: readonly LoadedHit[],
  ): Promise<ReadonlyMap<string, string>> {
    if (types?.includes('memory') === false) return new Map();
    const messageIds = loaded.flatMap(({ item: { type, facts } }) => (type === 'message' ? [facts.id] : []));
    return memories.successorsOf(reader, tenantId, messageIds);
  }

  /** Finds later messages that may take the place of the first ones of the user. */
  async function findLater(
    reader: Reader,
    query: CandidateQuery,
    rated: readonly RatedHit[],
    weights: ReadonlyMap<string, number>,
  ): Promise<LoadedHit[]> {
    const first = rated
      .slice(0, MAX_UNASKED)
      .filter(({ item: { type, facts } }) => type === 'message' && facts.role === 'user');
    return findLaterMessages(candidates, reader, query, {
      hits: await loadHits(reader, query, first),
      weights,
      known: new Set(rated.slice(0, CONTEXT_RESULTS).map(({ item }) => item.facts.rowId)),
    });
  }

  /** Runs one search in its tenant's turn and passes it to `use`, which decides which results were shown. */
  async function answer<T>(
    { tenantId, client }: Principal,
    request: PlannedSearch,
    use: (answered: Answered) => T | Promise<T>,
  ): Promise<T> {
    const stages = createStageTimings(clock);
    const nowMs = clock.nowMs();
    const user = { tenantId, endUser: request.user ?? 'default' };
    const own = parseQuery(request.query, nowMs);
    const parsed = withWordings(own, request.wordings);
    const query = toCandidateQuery(user, request, parsed, nowMs);
    const vector = findQueryVector(queryEmbedder, tenantId, request);
    // A model may take seconds: other searches of the tenant run meanwhile. A failure is reported where it is used.
    await vector?.catch(() => {});
    stages.end('queryMs');
    const known = client === undefined || client === UNKNOWN_CLIENT ? null : client;
    const attribute = attributeQuestionOf(request.query, own);
    const asked = { user, client: known, request, parsed, attribute, query, vector, nowMs, stages };
    return limiter.run(tenantId, async () => use(await db.readers.together(tenantId, (reader) => find(reader, asked))));
  }

  async function find(
    reader: Reader,
    { user, client, request, parsed, attribute, query: unscoped, vector, nowMs, stages }: Asked,
  ): Promise<Answered> {
    stages.end('waitMs');
    const { strategy = 'auto', explain = false, minRelevance = 0 } = request;
    // A search that finds nothing to compare would not say why there is no vector.
    if (strategy === 'semantic') await vector;
    const scope = await scopes.find(reader, user);
    // A user without a scope has no items.
    const taught = strategy === 'auto' ? await learning.taughtBy(reader, user) : undefined;
    const matched = scope === undefined ? undefined : await taught?.findMatches(reader, scope, parsed.terms);
    const query = scope === undefined ? undefined : { ...unscoped, scope, ...(matched && { learned: matched }) };
    const found = query === undefined ? NO_CANDIDATES : await candidates.find(reader, query, vector);
    stages.end('candidatesMs');
    const matches = matchesOf(found, parsed, nowMs);
    stages.end('signalsMs');
    const bucket = bucketOfQuery(request.query, parsed, found);
    const learned = taught?.rankingFor(bucket);
    const { model } = found;
    const meaning = model === undefined ? undefined : await learning.meaningWeightFor(reader, user.tenantId, model);
    const factor = meaning?.factor ?? 1;
    const ranking = rankMatches(matches, strategy, { learned, meaning: factor });
    const { relevances, confidence } = rate(ranking.byDefault, found.memories, parsed);
    const rated = ranking.ranked.map((hit) => ({ ...hit, relevance: relevances.get(hit.item)! }));
    stages.end('rankMs');
    const putsNewestFirst = !parsed.asksForPast;
    const added = new Map<string, LoadedHit>();
    const asked = new Set([...found.weights.keys()].filter((root) => !parsed.wordingRoots?.has(root)));
    let finding: Promise<ReadonlyMap<string, string>> | undefined;
    const rejecting: Successors['isRejected'][] = [];
    const isRejected: Successors['isRejected'] = (older, newer) => rejecting.some((rejects) => rejects(older, newer));
    const readPage = async (limit: number, explained?: Explained) => {
      const page = { minRelevance, limit, putsNewestFirst };
      const loaded = query === undefined ? [] : await loadHits(reader, query, hitsToLoad(rated, page));
      // Who asks for versions gets those that have the words.
      const mayReplace = putsNewestFirst && !query?.includeSuperseded && query?.asOfMs === undefined;
      if (query && mayReplace) {
        finding ??= findFollowers(candidates, reader, query, {
          found: loaded.map((hit) => toStatement(hit, matched)),
          question: attribute,
          asked,
          known: new Set(loaded.map(({ item }) => item.facts.rowId)),
        });
      }
      const following = (await finding) ?? new Map<string, string>();
      const successors = new Map<string, string>();
      const followers = new Map<string, string>(
        query && mayReplace ? await replacedMessages(reader, query, loaded) : [],
      );
      // What took the place of something may itself be replaced.
      for (let last = loaded, round = 0; last.length > 0 && round < MAX_SUCCESSIONS; round += 1) {
        const memoryIds = last.flatMap(({ item: { type, facts } }) => (type === 'memory' ? [facts.id] : []));
        const suggested = await possibleSuccessors(reader, user.tenantId, memoryIds);
        rejecting.push(suggested.isRejected);
        for (const [older, newer] of suggested.newerOf) successors.set(older, newer);
        for (const older of memoryIds) {
          const newer = following.get(older);
          if (newer !== undefined && !isRejected(older, newer)) followers.set(older, newer);
        }
        const newerOf = new Map([...followers, ...successors]);
        last = putsNewestFirst && query ? await loadSuccessors(reader, query, loaded, rated, newerOf) : [];
        for (const hit of last) if (hit.standsFor) added.set(hit.item.facts.id, hit);
        loaded.push(...last);
      }
      const hits = pageOf(loaded, parsed, {
        ...page,
        learned: matched,
        asked,
        successors,
        followers,
        isRejected,
      });
      return toResults(hits, ranking, explained);
    };
    const results = await readPage(
      limitOf(request),
      explain ? { related: found.related, learned: matched } : undefined,
    );
    const contextResults = request.contextTokens === undefined ? [] : await readPage(CONTEXT_RESULTS);
    const later =
      request.isUnasked && putsNewestFirst && query ? await findLater(reader, query, rated, found.weights) : [];
    for (const hit of later) added.set(hit.item.facts.id, hit);
    const searchId = ids.next('srch');
    const byDefault = toRemembered([...ranking.untaught, ...added.values()], factor);
    const share = model === undefined ? undefined : agreementOf(matches, found.memories, parsed);
    const agreement = model === undefined || share === undefined ? undefined : { model, share };
    stages.end('resultsMs');
    const timings = stages.timings();
    const answer = {
      searchId,
      confidence,
      results,
      strategy: describeStrategy(strategy, ranking.weights, learned),
      ...(explain && strategy === 'auto' && { learned: learned?.explain() ?? learning.unlearned(bucket) }),
      ...(explain && meaning && { meaning }),
      tookMs: timings.totalMs,
      ...(explain && { timings }),
    };
    return {
      answer,
      parsed,
      found,
      stages,
      weights: found.weights,
      contextResults,
      later: toResults(later, ranking, undefined),
      isRejected,
      remember: (shownIds, options) =>
        learning.remember({
          ...{ ...user, scope, searchId, client, asked: request, bucket, byDefault, shownIds, agreement },
          ...{ confidence, ...options },
        }),
    };
  }

  const several = createSearchOfSeveral({ clock, answer, countQuery, refund, startSession, tokenCounterOf });

  return {
    ...several,
    async search(principal, request) {
      const run = () =>
        answer(principal, request, async ({ answer: found, weights, contextResults, remember }) => {
          const shown = found.results.map(({ id }) => id);
          const { contextTokens: maxTokens } = request;
          if (maxTokens === undefined) return { body: found, remember: () => remember(shown) };
          const countTokens = tokenCounterOf(principal.tenantId);
          const context = await composeContext(contextResults, weights, { maxTokens, countTokens });
          return { body: { ...found, context }, remember: () => remember(shown) };
        });
      return (await countQuery(principal, run, ({ remember }) => remember())).body;
    },
    async context(principal, request) {
      if (request.purpose === 'session_start') return countQuery(principal, () => startSession(principal, request));
      const { tenantId } = principal;
      const plan = planContext(request);
      const run = () =>
        answer(principal, plan.search, async (answered) => {
          const { answer: found, weights, remember, stages } = answered;
          const context = await plan.compose(await plan.choose(answered, tenantId), weights, tokenCounterOf(tenantId));
          const { searchId, confidence } = found;
          stages.end('contextMs');
          const body = { searchId, confidence, ...context, ...(request.explain && { timings: stages.timings() }) };
          return { body, remember: () => remember(context.citations.map(({ id }) => id)) };
        });
      return (await countQuery(principal, run, ({ remember }) => remember())).body;
    },
    waiting: limiter.waiting,
  };
}

/** `auto` is reported as `default` until something was learned. */
function describeStrategy(
  requested: Strategy,
  weights: Weights,
  learned: LearnedRanking | undefined,
): SearchAnswer['strategy'] {
  const name = learned || requested !== 'auto' ? requested : 'default';
  return { name, weights, learnedFrom: learned?.events ?? 0 };
}
