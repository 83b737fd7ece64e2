import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { RetrievalChange } from '../../contract/learned-words.ts';
import type { Feedback, FeedbackResult, LearnedShift, Retrieval } from '../../contract/learning.ts';
import type { SearchRequest } from '../../contract/search.ts';
import { MAX_STORED_QUERY } from '../../contract/searches.ts';
import { WEB_APP_CLIENT } from '../../contract/web-app-client.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Writer } from '../../db/transactions.ts';
import type { Clock } from '../../lib/clock.ts';
import { timeOfId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { UNKNOWN_CLIENT } from '../activity/client-name.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { Scopes } from '../text/scopes.ts';
import { ANSWERED_MS, findAnsweredUses, type SaidAnswer } from './answered-searches.ts';
import { type GivenFeedback, recordFeedback, SEARCH_TTL_MS } from './feedback.ts';
import { createLearnedCache, createLearnedReads, type Learned, learnedOf, type UserKey } from './learned-cache.ts';
import { learnedWeights } from './learned-ranking.ts';
import { createLearnedState, encodeLearnedState } from './learned-state.ts';
import { createLearnedWords, type LearnedWords } from './learned-words-list.ts';
import { deleteSelectedWords, deleteSomeWordsOf } from './learned-words-store.ts';
import { createLearningReports, type LearningReports } from './learning-reports.ts';
import {
  deleteLearned,
  deleteSomeLearnedOf,
  deleteSomeSearchesBefore,
  deleteSomeSearchesOf,
  findLearned,
  findSearch,
  type LearningSwitches,
  listRecentSearches,
  type SearchRow,
  upsertSwitches,
} from './learning-store.ts';
import { createLearningTransfer, type LearningTransfer } from './learning-transfer.ts';
import type { ObservedAgreement } from './model-agreement.ts';
import { createModelAgreements, type ModelAgreements } from './model-agreements.ts';
import { createPendingSearches } from './pending-searches.ts';
import type { QueryBucket } from './query-bucket.ts';
import {
  learnedIdsOf,
  packIndices,
  packSignals,
  type RememberedCandidate,
  selectCandidates,
  shownIdsOf,
} from './remembered-search.ts';
import { requireRetrievalMatch, toLearnedShift } from './retrieval-view.ts';
import {
  createShownResults,
  MAX_SEARCHES_PER_TENANT,
  MAX_USES_PER_SEARCH,
  RECENT_MS,
  type ShownResults,
} from './shown-results.ts';
import type { SignalModel } from './signal-model.ts';
import { createStoredSearches, type StoredSearches } from './stored-searches.ts';
import { findLearnedMatches, type LearnedMatches, NO_LEARNED_MATCHES } from './word-learning.ts';

export type { UserKey } from './learned-cache.ts';
export { reserveDefaults } from './learned-ranking.ts';
export type { WordMatch } from './learned-words.ts';
export { findMemoryUses } from './memory-uses-store.ts';
export { bucketOf, type QueryBucket, textTraitsOf } from './query-bucket.ts';
export type { RememberedCandidate } from './remembered-search.ts';
export { signalModelOf } from './signal-model.ts';
export type { LearnedMatches } from './word-learning.ts';

/** Learned weights for one query bucket. */
export interface LearnedRanking {
  weights: Record<string, number>;
  events: number;
  /** The contribution of learning, for `explain`. */
  explain(): LearnedShift;
}

/** What a user taught. */
interface Taught {
  /** The learned weights for a query bucket. */
  rankingFor(bucket: QueryBucket): LearnedRanking;
  /** The items of the user, who has this scope, that terms of a question lead to. */
  findMatches(reader: Reader, scope: number, terms: readonly string[]): Promise<LearnedMatches>;
}

/** The conditions of a search; `types` is absent for all. */
type AskedSearch = Pick<SearchRequest, 'query' | 'project' | 'types'>;

/** A completed search. */
interface AnsweredSearch extends UserKey {
  client: string | null;
  /** Scope of the user; `undefined` for a user without items. */
  scope: number | undefined;
  searchId: string;
  asked: AskedSearch;
  /** Whether the words and the project that were asked for are stored; true unless given. */
  withQuery?: boolean;
  bucket: QueryBucket;
  /** All candidates, the default ranking's best first. */
  byDefault: readonly RememberedCandidate[];
  /** The results shown, best first. */
  shownIds: readonly string[];
  /** The probability that anything answers it. */
  confidence: number;
  /** How far an embedding model agreed with words; absent without a model, or where words have no answer. */
  agreement?: ObservedAgreement | undefined;
}

type Tenant = Pick<Principal, 'tenantId'>;

/** Adapts the ranking to the feedback of each end user separately. */
export interface Learning extends LearningReports {
  /** What a user taught; `undefined` before any feedback: use the default ranking. */
  taughtBy(reader: Reader, user: UserKey): Promise<Taught | undefined>;
  meaningWeightFor: ModelAgreements['weightFor'];
  /** The answer of `LearnedRanking.explain` for a user without feedback. */
  unlearned(bucket: QueryBucket): LearnedShift;
  /**
   * Stores a search for 24 hours, to take feedback on it, in the background and rate-limited. Reading a memory after one of
   * the web app does not count as using it.
   */
  remember(search: AnsweredSearch): void;
  /**
   * Learns from explicit feedback, once per search; `learned` is false where it carried no new information. Throws
   * `not_found` for a search that is not the tenant's or has expired, `invalid_request` for an id that is not a result.
   */
  feedback(principal: Tenant, searchId: string, feedback: Feedback): Promise<FeedbackResult>;
  /** Counts reading or changing a memory as use if a recent search showed it. Learns in the background. */
  noteUse(principal: Tenant, memoryId: string): void;
  /**
   * Counts what an answer of an assistant repeats of recent results as used; see `usesInAnswer`. `userOf` says whom it was
   * for. Learns in the background.
   */
  noteAnswer(
    principal: Pick<Principal, 'tenantId' | 'client'>,
    said: Omit<SaidAnswer, 'client'> & { userOf: () => Promise<string> },
  ): void;
  /** Deletes what was learned for a user, who gets the default ranking again. Throws `precondition_failed`. */
  reset(principal: Tenant, user?: string, ifMatch?: string): Promise<void>;
  /**
   * Switches the learning of words, or inferred uses, on or off; what was learned stays. Throws `not_found` for a user without
   * items, and `precondition_failed`.
   */
  change(principal: Tenant, change: RetrievalChange, ifMatch?: string): Promise<Retrieval>;
  words: LearnedWords;
  searches: StoredSearches;
  transfer: LearningTransfer;
  /** Writes the pending searches. */
  flush(): Promise<void>;
  /** Searches dropped instead of stored, since the process started. */
  dropped(): number;
  /** Deletes expired searches, and what was learned of models that were removed. */
  sweep(): Promise<void>;
  erase(owner: Owner): Promise<void>;
}

const SWEEP_ROWS = 200;
/** Implicit uses processed at a time; more are ignored. */
const MAX_CONCURRENT_USES = 32;
/** How long another daemon may take to store a search that it has answered, clocks included. */
const UNSTORED_MS = 10_000;
const STORED_TRIES = 20;
const STORED_PAUSE_MS = 50;

/** Keeps one learned state per end user over the signals of `model`. */
export function createLearning({
  db,
  clock,
  log,
  model,
  cursors,
  usage,
  scopes,
  isShared,
  liveDaemons,
  maskQuery,
  wordsOf,
}: {
  db: Database;
  clock: Clock;
  log: Log;
  model: SignalModel;
  cursors: Cursors;
  usage: Pick<Usage, 'requireTenant'>;
  scopes: Pick<Scopes, 'find'>;
  /** Whether other daemons may use the database: then nothing that they may change is kept in memory. */
  isShared: boolean;
  /** Daemons among which requests are spread. */
  liveDaemons: () => number;
  /** Masks what must not be stored of a query. */
  maskQuery: (query: string) => string;
  /** The words of a query that say what it is about. */
  wordsOf: (query: string) => string[];
}): Learning {
  const agreements = createModelAgreements(db);
  const reports = createLearningReports({ db, clock, model });
  const pending = createPendingSearches({ db, clock, log, liveDaemons });
  const shown = isShared ? createStoredResults(db.lookups, clock) : createShownResults(clock);
  const fresh = createLearnedState(model.names);
  async function load(reader: Reader, { tenantId, endUser }: UserKey): Promise<Learned> {
    return learnedOf(await findLearned(reader, tenantId, endUser), model.names);
  }
  const cache = isShared ? createLearnedReads(load) : createLearnedCache(clock, load);
  let usesInProgress = 0;

  async function learn(given: GivenFeedback): Promise<FeedbackResult> {
    if (pending.has(given.tenantId, given.searchId)) await pending.flush();
    else if (isShared) await untilStored(given);
    const { learned, user, ...taught } = await db.writes.write(given.tenantId, (connection) =>
      recordFeedback(connection, given, { model, wordsOf, nowMs: clock.nowMs() }),
    );
    if (learned) cache.set(user, taught);
    return { learned, events: taught.state.events };
  }

  /** Waits for a search that another daemon has just answered, and is about to store. */
  async function untilStored({ tenantId, searchId }: GivenFeedback): Promise<void> {
    const isNew = Math.abs(clock.nowMs() - timeOfId(searchId)) < UNSTORED_MS;
    for (let tries = 0; isNew && tries < STORED_TRIES; tries += 1) {
      if ((await findSearch(db.lookups, tenantId, searchId, 0)) !== undefined) return;
      await setTimeout(STORED_PAUSE_MS);
    }
  }

  async function learnFromUse(tenantId: string, memoryId: string): Promise<void> {
    if (isShared) await pending.flush();
    const searchId = await shown.take(tenantId, memoryId);
    if (searchId !== undefined) await learn({ tenantId, searchId, used: [memoryId], kind: 'implicit' });
  }

  async function learnFromAnswer(user: UserKey, said: SaidAnswer): Promise<void> {
    if (!(await cache.get(db.lookups, user)).infersUses) return;
    await pending.flush();
    for (const uses of await findAnsweredUses(db.lookups, user, said, clock.nowMs())) {
      await learn({ tenantId: user.tenantId, ...uses, kind: 'implicit' });
    }
  }

  /** Runs in the background, unless too many do already. */
  function infer(work: () => Promise<void>): void {
    if (usesInProgress >= MAX_CONCURRENT_USES) return;
    usesInProgress += 1;
    work()
      .catch((error) => log.info({ error }, 'could not learn from an implicit use'))
      .finally(() => {
        usesInProgress -= 1;
      });
  }

  /** Deletes in batches, one transaction each, so that other writes are not held up. */
  async function inBatches(of: Writer, deleteBatch: Parameters<typeof db.writes.write<number>>[1]): Promise<void> {
    while ((await db.writes.write(of, deleteBatch)) >= SWEEP_ROWS);
  }

  return {
    async taughtBy(reader, user) {
      const { state, usesWords } = await cache.get(reader, user);
      if (state.events === 0) return undefined;
      return {
        rankingFor: (bucket) => ({
          weights: learnedWeights(state, model, bucket),
          events: state.events,
          explain: () => toLearnedShift(state, model, bucket),
        }),
        findMatches: async (from, scope, terms) =>
          usesWords ? findLearnedMatches(from, { ...user, scope }, terms, clock.nowMs()) : NO_LEARNED_MATCHES,
      };
    },
    meaningWeightFor: agreements.weightFor,
    unlearned: (bucket) => toLearnedShift(fresh, model, bucket),
    remember({
      tenantId,
      endUser,
      scope,
      searchId,
      client,
      asked,
      withQuery = true,
      bucket,
      byDefault,
      shownIds,
      agreement,
      confidence,
    }) {
      const stored = selectCandidates(byDefault, shownIds);
      pending.add({
        tenantId,
        id: searchId,
        endUser,
        scope,
        agreement: agreements.observe(asked.query, { tenantId, endUser }, agreement),
        bucket,
        candidates: stored.candidates.map(({ id }) => id).join(' '),
        signals: packSignals(
          stored.candidates.map(({ signals }) => Float32Array.from(model.names, (name) => signals[name] ?? 0)),
        ),
        shown: packIndices(stored.shown),
        createdAt: clock.nowMs(),
        learnedFrom: '',
        irrelevant: null,
        feedbackAt: null,
        query: withQuery ? maskQuery(asked.query).slice(0, MAX_STORED_QUERY).toWellFormed() : null,
        project: (withQuery && asked.project) || null,
        types: asked.types?.join(' ') ?? null,
        client,
        confidence,
      });
      if (client !== WEB_APP_CLIENT) shown.add(tenantId, searchId, shownIds);
      // Never throws. Its feedback may come to another daemon at any moment.
      if (isShared) void pending.flush();
    },
    feedback: ({ tenantId }, searchId, feedback) => learn({ ...feedback, tenantId, searchId, kind: 'explicit' }),
    noteUse: ({ tenantId }, memoryId) => infer(() => learnFromUse(tenantId, memoryId)),
    noteAnswer({ tenantId, client = UNKNOWN_CLIENT }, { userOf, ...said }) {
      if (!shown.mayHaveShown(tenantId, ANSWERED_MS)) return;
      infer(async () => {
        const user = { tenantId, endUser: await userOf() };
        await learnFromAnswer(user, { ...said, client: client === UNKNOWN_CLIENT ? null : client });
      });
    },
    async reset({ tenantId }, user = 'default', ifMatch) {
      await db.writes.write(tenantId, async (connection) => {
        const before = await findLearned(connection, tenantId, user);
        requireRetrievalMatch(ifMatch, user, learnedOf(before, model.names), before?.updatedAt ?? null);
        await deleteLearned(connection, tenantId, user);
        await deleteSelectedWords(connection, { tenantId, endUser: user }, {});
        if (before?.usesWords === 0 || before?.infersUses === 0) {
          await upsertSwitches(connection, { ...before, state: encodeLearnedState(fresh) });
        }
      });
      cache.forget(tenantId, user);
    },
    async change({ tenantId }, { user = 'default', ...switches }, ifMatch) {
      const row = { tenantId, endUser: user, state: encodeLearnedState(fresh), updatedAt: clock.nowMs() };
      await db.writes.write(tenantId, async (connection) => {
        await usage.requireTenant(connection, tenantId);
        // Rows for made-up names would count toward no quota.
        if (user !== 'default' && (await scopes.find(connection, { tenantId, endUser: user })) === undefined) {
          throw new AppError('not_found', 'Nothing is stored of a user with this name.');
        }
        const before = await findLearned(connection, tenantId, user);
        requireRetrievalMatch(ifMatch, user, learnedOf(before, model.names), before?.updatedAt ?? null);
        await upsertSwitches(connection, { ...row, ...changedSwitches(before, switches) });
      });
      cache.forget(tenantId, user);
      return reports.show({ tenantId }, { user });
    },
    ...reports,
    words: createLearnedWords({ db, clock, cursors }),
    searches: createStoredSearches({ db, clock, cursors, flush: pending.flush }),
    transfer: createLearningTransfer({ signals: model.names, cache }),
    flush: pending.flush,
    dropped: pending.dropped,
    async sweep() {
      const beforeMs = clock.nowMs() - SEARCH_TTL_MS;
      await inBatches('daemon', (connection) => deleteSomeSearchesBefore(connection, beforeMs, SWEEP_ROWS));
      while ((await agreements.deleteSomeOfRemoved(SWEEP_ROWS)) >= SWEEP_ROWS);
    },
    async erase(owner) {
      const { tenantId, endUser } = owner;
      pending.forget(tenantId, endUser);
      if (endUser === undefined) shown.forget(tenantId);
      // Searches first: without them no further feedback can be learned from.
      await inBatches(tenantId, (connection) => deleteSomeSearchesOf(connection, owner, SWEEP_ROWS));
      await inBatches(tenantId, (connection) => deleteSomeLearnedOf(connection, owner, SWEEP_ROWS));
      await inBatches(tenantId, (connection) => deleteSomeWordsOf(connection, owner, SWEEP_ROWS));
      await agreements.erase(owner);
      cache.forget(tenantId, endUser);
    },
  };
}

/** The switches of a user after a change; all are on at first. */
function changedSwitches(
  before: LearningSwitches | undefined,
  { usesWords, infersUses }: Omit<RetrievalChange, 'user'>,
): LearningSwitches {
  const switched = (change: boolean | undefined, stored = 1) => (change === undefined ? stored : change ? 1 : 0);
  return {
    usesWords: switched(usesWords, before?.usesWords),
    infersUses: switched(infersUses, before?.infersUses),
  };
}

/** Reads from the stored searches what they showed, because another daemon may have answered them. */
function createStoredResults(reader: Reader, clock: Clock): ShownResults {
  return {
    add() {},
    async take(tenantId, id) {
      const since = { tenantId, sinceMs: clock.nowMs() - RECENT_MS, limit: MAX_SEARCHES_PER_TENANT };
      const searches = await listRecentSearches(reader, since);
      return searches.find((search) => shownIdsOf(search).includes(id) && isOpen(search, id))?.id;
    },
    mayHaveShown: () => true,
    forget() {},
  };
}

/** Whether a use of this memory would still be learned from. */
function isOpen(search: SearchRow, id: string): boolean {
  const used = learnedIdsOf(search);
  return search.feedbackAt === null && used.size < MAX_USES_PER_SEARCH && !used.has(id);
}
