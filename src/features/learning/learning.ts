import type { Feedback, FeedbackTaken, LearnedShift, LearningDay, Retrieval } from '../../contract/learning.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Principal } from '../keys/keys.ts';
import { type GivenFeedback, SEARCH_KEPT_MS, takeFeedback } from './feedback.ts';
import { createLearnedCache, type UserKey } from './learned-cache.ts';
import { learnedWeights } from './learned-ranking.ts';
import { createLearnedState, decodeLearnedState } from './learned-state.ts';
import {
  deleteLearned,
  deleteSomeLearnedOf,
  deleteSomeSearchesBefore,
  deleteSomeSearchesOf,
  findLearned,
  listLearningDays,
} from './learning-store.ts';
import { createLearningTransfer, type LearningTransfer } from './learning-transfer.ts';
import type { QueryBucket } from './query-bucket.ts';
import { keptCandidates, packPlaces, packSignals, type RememberedCandidate } from './remembered-search.ts';
import { toLearnedShift, toLearningDay, toRetrieval } from './retrieval-view.ts';
import { createShownResults } from './shown-results.ts';
import type { SignalModel } from './signal-model.ts';
import { createWaitingSearches } from './waiting-searches.ts';

export type { UserKey } from './learned-cache.ts';
export { guarded } from './learned-ranking.ts';
export { bucketOf, type QueryBucket, type QueryTraits, textTraitsOf } from './query-bucket.ts';
export type { RememberedCandidate } from './remembered-search.ts';
export { signalModelOf } from './signal-model.ts';

/** Weights that were learned for one kind of query. */
export interface LearnedRanking {
  weights: Record<string, number>;
  events: number;
  /** What of them is learned. */
  explain(): LearnedShift;
}

/** A search that was answered. */
export interface AnsweredSearch extends UserKey {
  searchId: string;
  bucket: QueryBucket;
  /** All candidates, the default ranking's best first. */
  byDefault: readonly RememberedCandidate[];
  /** What was shown, best first. */
  shownIds: readonly string[];
}

type Tenant = Pick<Principal, 'tenantId'>;

/** The retrieval learns from what becomes of its results: for each end user of a tenant by itself. */
export interface Learning {
  /** What was learned of a user for such queries; `undefined` where nothing is, so that the default ranking holds. */
  rankingFor(place: UserKey, bucket: QueryBucket): Promise<LearnedRanking | undefined>;
  /** What shapes such queries of a user of whom nothing is learned. */
  unlearned(bucket: QueryBucket): LearnedShift;
  /** Keeps a search for 24 hours, for feedback; written in the background. Past some a second they are dropped. */
  remember(search: AnsweredSearch): void;
  /**
   * Learns from what a user says, once a search; `learned` is false where it told nothing new. Throws `not_found` for a
   * search that is none of the tenant's or too old, `invalid_request` for an id that is no result of it.
   */
  feedback(principal: Tenant, searchId: string, feedback: Feedback): Promise<FeedbackTaken>;
  /** A memory was read or changed: used, where a search of the last minutes showed it. Returns at once. */
  noteUse(principal: Tenant, memoryId: string): void;
  show(principal: Tenant, user?: string): Promise<Retrieval>;
  /** Forgets what was learned of a user: the default ranking holds again. */
  reset(principal: Tenant, user?: string): Promise<void>;
  /** The learning curve over the last days, today included; days without feedback are left out. */
  curve(principal: Tenant, days: number): Promise<LearningDay[]>;
  transfer: LearningTransfer;
  /** Writes the searches that wait. */
  flush(): Promise<void>;
  /** Searches that could not be kept for feedback, since the start. */
  dropped(): number;
  /** Forgets old searches. */
  sweep(): Promise<void>;
  erase(tenantId: string): Promise<void>;
}

const SWEEP_ROWS = 200;
/** Implied uses that are learned from at once; those beyond are passed over. */
const MAX_NOTING = 32;

/** Learning from feedback over the signals of `model`. */
export function createLearning({
  db,
  clock,
  log,
  model,
}: {
  db: Database;
  clock: Clock;
  log: Log;
  model: SignalModel;
}): Learning {
  const waiting = createWaitingSearches({ db, clock, log });
  const shown = createShownResults(clock);
  const fresh = createLearnedState(model.names);
  const cache = createLearnedCache(clock, async ({ tenantId, endUser }) => {
    const row = await findLearned(db.readers, tenantId, endUser);
    return row ? decodeLearnedState(row.state, model.names) : fresh;
  });
  let noting = 0;

  async function take(given: GivenFeedback): Promise<FeedbackTaken> {
    if (waiting.has(given.tenantId, given.searchId)) await waiting.flush();
    const { learned, place, state } = await db.writes.write((connection) =>
      takeFeedback(connection, given, { model, nowMs: clock.nowMs() }),
    );
    if (learned) cache.set(place, state);
    return { learned, events: state.events };
  }

  /** Some rows a transaction, so that others' writes go on between. */
  async function inPortions(erase: Parameters<typeof db.writes.write<number>>[0]): Promise<void> {
    while ((await db.writes.write(erase)) >= SWEEP_ROWS);
  }

  return {
    async rankingFor(place, bucket) {
      const state = await cache.get(place);
      if (state.events === 0) return undefined;
      const weights = learnedWeights(state, model, bucket);
      return { weights, events: state.events, explain: () => toLearnedShift(state, bucket) };
    },
    unlearned: (bucket) => toLearnedShift(fresh, bucket),
    remember({ tenantId, endUser, searchId, bucket, byDefault, shownIds }) {
      const kept = keptCandidates(byDefault, shownIds);
      waiting.add({
        tenantId,
        id: searchId,
        endUser,
        bucket,
        candidates: kept.candidates.map(({ id }) => id).join(' '),
        signals: packSignals(
          kept.candidates.map(({ signals }) => Float32Array.from(model.names, (name) => signals[name] ?? 0)),
        ),
        shown: packPlaces(kept.shown),
        createdAt: clock.nowMs(),
        learnedFrom: '',
        feedbackAt: null,
      });
      shown.add(tenantId, searchId, shownIds);
    },
    feedback: ({ tenantId }, searchId, feedback) => take({ ...feedback, tenantId, searchId, kind: 'told' }),
    noteUse({ tenantId }, memoryId) {
      const searchId = noting < MAX_NOTING ? shown.take(tenantId, memoryId) : undefined;
      if (searchId === undefined) return;
      noting += 1;
      take({ tenantId, searchId, used: [memoryId], kind: 'implied' })
        .catch((error) => log.info({ error }, 'could not learn from the use of a result'))
        .finally(() => {
          noting -= 1;
        });
    },
    async show({ tenantId }, user = 'default') {
      const row = await findLearned(db.readers, tenantId, user);
      const state = row ? decodeLearnedState(row.state, model.names) : fresh;
      return toRetrieval(user, state, row?.updatedAt ?? null, model);
    },
    async reset({ tenantId }, user = 'default') {
      await db.writes.write((connection) => deleteLearned(connection, tenantId, user));
      cache.forget(tenantId, user);
    },
    async curve({ tenantId }, days) {
      const fromDay = utcDay(clock.nowMs() - (days - 1) * 86_400_000);
      return (await listLearningDays(db.readers, tenantId, fromDay)).map(toLearningDay);
    },
    transfer: createLearningTransfer({ signals: model.names, cache }),
    flush: waiting.flush,
    dropped: waiting.dropped,
    sweep() {
      const beforeMs = clock.nowMs() - SEARCH_KEPT_MS;
      return inPortions((connection) => deleteSomeSearchesBefore(connection, beforeMs, SWEEP_ROWS));
    },
    async erase(tenantId) {
      waiting.forget(tenantId);
      shown.forget(tenantId);
      // Searches first: without one, no feedback can come any more that would be learned.
      await inPortions((connection) => deleteSomeSearchesOf(connection, tenantId, SWEEP_ROWS));
      await inPortions((connection) => deleteSomeLearnedOf(connection, tenantId, SWEEP_ROWS));
      cache.forget(tenantId);
    },
  };
}
