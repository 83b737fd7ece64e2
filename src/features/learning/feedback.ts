import { AppError, type FieldError } from '../../contract/errors.ts';
import type { Feedback } from '../../contract/learning.ts';
import type { Connection } from '../../db/connection.ts';
import { utcDay } from '../../lib/clock.ts';
import type { UserKey } from './learned-cache.ts';
import { createLearnedState, decodeLearnedState, encodeLearnedState, type LearnedState } from './learned-state.ts';
import { learnFrom } from './learning-step.ts';
import {
  addLearningDay,
  findLearned,
  findSearch,
  type SearchRow,
  updateLearnedFrom,
  upsertLearned,
} from './learning-store.ts';
import { QUERY_BUCKETS, type QueryBucket } from './query-bucket.ts';
import { unpackPlaces, unpackSignals } from './remembered-search.ts';
import type { SignalModel } from './signal-model.ts';

/** So long after a search feedback can come for it. */
export const SEARCH_KEPT_MS = 24 * 3_600_000;

export interface GivenFeedback extends Feedback {
  tenantId: string;
  searchId: string;
  /** `told`: its user says so, once a search. `implied`: seen from what was done, until it is told. */
  kind: 'told' | 'implied';
}

/** What feedback led to; `learned` where it told something new. */
export interface FeedbackOutcome {
  learned: boolean;
  place: UserKey;
  state: LearnedState;
}

/**
 * Learns from the feedback for one search, in the caller's transaction. Throws `not_found` for a search that is none of
 * the tenant's or too old, `invalid_request` for an id that the search did not come upon.
 */
export async function takeFeedback(
  connection: Connection,
  given: GivenFeedback,
  { model, nowMs }: { model: SignalModel; nowMs: number },
): Promise<FeedbackOutcome> {
  const search = await loadSearch(connection, given, { model, nowMs });
  refuseStrangers(given, search.candidates);
  const { tenantId, endUser } = search.row;
  const place = { tenantId, endUser };
  const learned = await findLearned(connection, tenantId, endUser);
  const state = learned ? decodeLearnedState(learned.state, model.names) : createLearnedState(model.names);
  const news = search.row.feedbackAt === null ? newsOf(given, search.row) : { used: [], irrelevant: [] };
  const used = news.used.map((id) => search.candidates.indexOf(id));
  const irrelevant = news.irrelevant.map((id) => search.candidates.indexOf(id));
  const next = learnFrom(state, model, { ...search, used, irrelevant });
  if (next === state) return { learned: false, place, state };
  await upsertLearned(connection, { ...place, state: encodeLearnedState(next), events: next.events, updatedAt: nowMs });
  await updateLearnedFrom(connection, {
    tenantId,
    id: search.row.id,
    learnedFrom: [search.row.learnedFrom, ...news.used, ...news.irrelevant].join(' ').trim(),
    feedbackAt: given.kind === 'told' ? nowMs : null,
  });
  if (used.length > 0) {
    const ranks = { shownRanks: bestOf(used, search.shown), defaultRanks: bestOf(used, [...search.signals.keys()]) };
    await addLearningDay(connection, tenantId, endUser, { day: utcDay(nowMs), feedbacks: 1, ...ranks });
  }
  return { learned: true, place, state: next };
}

interface LoadedSearch {
  row: SearchRow;
  candidates: string[];
  bucket: QueryBucket;
  signals: Float32Array[];
  shown: number[];
}

async function loadSearch(
  connection: Connection,
  { tenantId, searchId }: GivenFeedback,
  { model, nowMs }: { model: SignalModel; nowMs: number },
): Promise<LoadedSearch> {
  const row = await findSearch(connection, tenantId, searchId, nowMs - SEARCH_KEPT_MS);
  const candidates = row?.candidates.split(' ').filter((id) => id !== '') ?? [];
  const signals = row ? unpackSignals(row.signals, candidates.length) : [];
  // After a start with other signals, what was kept before says nothing any more.
  if (!row || signals.some(({ length }) => length !== model.names.length)) {
    throw new AppError('not_found', 'There is no search with this id, or it is more than 24 hours old.');
  }
  const bucket = QUERY_BUCKETS.find((name) => name === row.bucket) ?? 'other';
  return { row, candidates, bucket, signals, shown: unpackPlaces(row.shown) };
}

/** What was not learned from before. */
function newsOf({ used = [], irrelevant = [] }: Feedback, { learnedFrom }: SearchRow): Required<Feedback> {
  const known = new Set(learnedFrom.split(' '));
  const isNew = (id: string) => !known.has(id);
  return { used: used.filter(isNew), irrelevant: irrelevant.filter(isNew) };
}

function refuseStrangers({ used = [], irrelevant = [] }: Feedback, candidates: readonly string[]): void {
  const known = new Set(candidates);
  const errors: FieldError[] = [];
  for (const [field, ids] of Object.entries({ used, irrelevant })) {
    for (const [index, id] of ids.entries()) {
      if (!known.has(id)) errors.push({ path: `/${field}/${index}`, message: `${id} is no result of this search` });
    }
  }
  for (const [index, id] of irrelevant.entries()) {
    if (used.includes(id)) errors.push({ path: `/irrelevant/${index}`, message: `${id} is among the used ones too` });
  }
  if (errors.length > 0) throw new AppError('invalid_request', `${errors[0]!.message}.`, { errors });
}

/** The reciprocal rank of the first of them in the list; 0 where none is there. */
function bestOf(wanted: readonly number[], list: readonly number[]): number {
  const place = list.findIndex((index) => wanted.includes(index));
  return place < 0 ? 0 : 1 / (place + 1);
}
