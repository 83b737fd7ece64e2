import { AppError, type FieldError } from '../../contract/errors.ts';
import type { Feedback } from '../../contract/learning.ts';
import type { Connection } from '../../db/connection.ts';
import { utcDay } from '../../lib/clock.ts';
import { rootOf } from '../text/word-forms.ts';
import { type Learned, learnedOf, type UserKey } from './learned-cache.ts';
import { encodeLearnedState } from './learned-state.ts';
import { addLearningDay, deleteLearningDaysBefore } from './learning-days-store.ts';
import { learnFrom } from './learning-step.ts';
import { findLearned, findSearch, type SearchRow, updateLearnedFrom, upsertLearned } from './learning-store.ts';
import { addMemoryUses } from './memory-uses-store.ts';
import { QUERY_BUCKETS, type QueryBucket } from './query-bucket.ts';
import { hasUses, learnedIdsOf, shownIdsOf, unpackIndices, unpackSignals } from './remembered-search.ts';
import { mixtureByName } from './retrieval-view.ts';
import { MAX_USES_PER_SEARCH } from './shown-results.ts';
import type { SignalModel } from './signal-model.ts';
import { listStoredSearches, type StoredSearchRow } from './stored-searches-store.ts';
import { teachWords } from './word-learning.ts';

const DAY_MS = 24 * 3_600_000;
/** How long after a search its feedback is accepted. */
export const SEARCH_TTL_MS = DAY_MS;
/** A question is taken for another wording of the one before if that was asked at most this long before it. */
const REFORMULATED_MS = 120_000;
/** A question with a higher confidence found something. */
const MAX_UNANSWERED = 0.6;
/** Searches that are looked back: the web app asks twice, for results and for a context. */
const REFORMULATED_SEARCHES = 3;
/** Feedback that says the same of a question teaches the weights this often in a day, as far as the last searches tell. */
const MAX_REPEATED = 20;
const REPEATED_SEARCHES = 100;
/** Days of which totals and mixtures are stored. */
const LEARNING_DAYS = 400;

export interface GivenFeedback extends Feedback {
  tenantId: string;
  searchId: string;
  /** `explicit` feedback is accepted once per search; `implicit` use counts only until then. */
  kind: 'explicit' | 'implicit';
}

/** The state after feedback; `learned` is false where none of it was recorded. */
export interface FeedbackOutcome extends Learned {
  learned: boolean;
  user: UserKey;
}

/**
 * Learns from the feedback on one search, in the caller's transaction. Throws `not_found` for a search that is not the
 * tenant's or has expired, `invalid_request` for an id that is not a result of it.
 */
export async function recordFeedback(
  connection: Connection,
  given: GivenFeedback,
  { model, wordsOf, nowMs }: { model: SignalModel; wordsOf: (query: string) => string[]; nowMs: number },
): Promise<FeedbackOutcome> {
  const search = await loadSearch(connection, given, { model, nowMs });
  validateIds(given, search.candidates);
  const { tenantId, endUser } = search.row;
  const user = { tenantId, endUser };
  const learned = learnedOf(await findLearned(connection, tenantId, endUser), model.names);
  const { state, usesWords, infersUses } = learned;
  if (given.kind === 'implicit' && !infersUses) return { ...learned, learned: false, user };
  const named = isOpen(given, search.row) ? namedIds(given, search.row) : { used: [], irrelevant: [] };
  if (named.used.length + named.irrelevant.length === 0) return { ...learned, learned: false, user };
  // Explicit feedback closes a search: until then, everything that was learned from it was inferred.
  const inferred = learnedIdsOf(search.row);
  const newlyUsed = named.used.filter((id) => !inferred.has(id));
  const used = newlyUsed.map((id) => search.candidates.indexOf(id));
  const irrelevant = named.irrelevant.map((id) => search.candidates.indexOf(id));
  const lesson = learnFrom(state, model, { ...search, used, irrelevant });
  // Weights learn what a user prefers: the same again, however often, is no further evidence of it.
  const isNew = lesson !== state && !(await wasSaidBefore(connection, search.row, named, nowMs));
  const next = isNew ? lesson : { ...state, events: state.events + 1 };
  await upsertLearned(connection, { ...user, state: encodeLearnedState(next), events: next.events, updatedAt: nowMs });
  await updateLearnedFrom(connection, {
    tenantId,
    id: search.row.id,
    learnedFrom: [...new Set([...inferred, ...named.used, ...named.irrelevant])].join(' '),
    irrelevant: named.irrelevant.join(' '),
    feedbackAt: given.kind === 'explicit' ? nowMs : null,
  });
  await addMemoryUses(connection, { tenantId, ids: newlyUsed, as: 'used' });
  if (usesWords) await teachQuestion(connection, { given, row: search.row, named, wordsOf, infersUses, nowMs });
  await addLearningDay(connection, user, {
    day: utcDay(nowMs),
    feedbacks: used.length > 0 ? 1 : 0,
    shownRanks: reciprocalRank(used, search.shown),
    defaultRanks: reciprocalRank(used, [...search.signals.keys()]),
    mixture: JSON.stringify(mixtureByName(next)),
  });
  await deleteLearningDaysBefore(connection, user, utcDay(nowMs - LEARNING_DAYS * DAY_MS));
  return { ...learned, learned: true, user, state: next };
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
  const row = await findSearch(connection, tenantId, searchId, nowMs - SEARCH_TTL_MS);
  const candidates = row?.candidates.split(' ').filter((id) => id !== '') ?? [];
  const signals = row ? unpackSignals(row.signals, candidates.length) : [];
  // Signals were added or removed by an upgrade since: the stored values cannot be interpreted.
  if (!row || signals.some(({ length }) => length !== model.names.length)) {
    throw new AppError('not_found', 'There is no search with this id, or it is more than 24 hours old.');
  }
  const bucket = QUERY_BUCKETS.find((name) => name === row.bucket) ?? 'other';
  return { row, candidates, bucket, signals, shown: unpackIndices(row.shown) };
}

/** Whether feedback on the same question named all of these results often enough in the last searches of the user. */
async function wasSaidBefore(
  connection: Connection,
  { tenantId, endUser, id, query }: SearchRow,
  { used, irrelevant }: Required<Feedback>,
  nowMs: number,
): Promise<boolean> {
  if (query === null) return false;
  const named = [...used, ...irrelevant];
  const before = await listStoredSearches(connection, {
    ...{ tenantId, user: endUser, beforeId: id, exceptClient: undefined },
    ...{ sinceMs: nowMs - SEARCH_TTL_MS, limit: REPEATED_SEARCHES },
  });
  const same = before.filter((search) => search.query === query).map(learnedIdsOf);
  return named.every((one) => same.filter((learned) => learned.has(one)).length >= MAX_REPEATED);
}

/** Whether a search still takes feedback of this kind. */
function isOpen({ kind }: GivenFeedback, search: SearchRow): boolean {
  return search.feedbackAt === null && (kind === 'explicit' || learnedIdsOf(search).size < MAX_USES_PER_SEARCH);
}

/** The ids to learn from. Explicit feedback also says it of results whose use was inferred before, and overrides that. */
function namedIds({ kind, used = [], irrelevant = [] }: GivenFeedback, search: SearchRow): Required<Feedback> {
  if (kind === 'explicit') return { used, irrelevant };
  const known = learnedIdsOf(search);
  return { used: used.filter((id) => !known.has(id)), irrelevant: [] };
}

/** What feedback on one search says of the words of its question, and of the one that led nowhere before it. */
async function teachQuestion(
  connection: Connection,
  {
    given,
    row,
    named,
    wordsOf,
    infersUses,
    nowMs,
  }: {
    given: GivenFeedback;
    row: SearchRow;
    named: Required<Feedback>;
    wordsOf: (query: string) => string[];
    infersUses: boolean;
    nowMs: number;
  },
): Promise<void> {
  if (row.query === null) return;
  const words = wordsOf(row.query);
  const passedOver = passedOverIn(given, row);
  await teachWords(connection, row, { ...named, words, passedOver, kind: given.kind }, nowMs);
  if (given.kind === 'implicit' || !infersUses || named.used.length === 0) return;
  const before = await findReformulated(connection, row);
  if (before === undefined) return;
  const shown = new Set(shownIdsOf(before));
  const used = named.used.filter((id) => !shown.has(id));
  const known = new Set(words.map(rootOf));
  const asked = wordsOf(before.query!);
  const others = asked.filter((word) => !known.has(rootOf(word)));
  // Something else may have been asked: only one that found nothing, or shares a word, is the same question.
  if ((before.confidence ?? 1) > MAX_UNANSWERED && others.length === asked.length) return;
  await teachWords(connection, row, { words: others, used, passedOver: [], irrelevant: [], kind: 'implicit' }, nowMs);
}

/** The question that the same client asked shortly before in other words, if nothing was used for it. */
async function findReformulated(connection: Connection, row: SearchRow): Promise<StoredSearchRow | undefined> {
  const recent = await listStoredSearches(connection, {
    ...{ tenantId: row.tenantId, user: row.endUser, beforeId: row.id, exceptClient: undefined },
    ...{ sinceMs: row.createdAt - REFORMULATED_MS, limit: REFORMULATED_SEARCHES },
  });
  const before = recent.find(({ query }) => query !== row.query);
  return before?.query == null || before.client !== row.client || hasUses(before) ? undefined : before;
}

/** What was shown and not used, where something else was. Reading one result does not say that the others did not help. */
function passedOverIn({ kind, used = [] }: GivenFeedback, row: SearchRow): string[] {
  if (kind === 'implicit' || used.length === 0) return [];
  const known = new Set([...used, ...learnedIdsOf(row)]);
  return shownIdsOf(row).filter((id) => !known.has(id));
}

function validateIds({ used = [], irrelevant = [] }: Feedback, candidates: readonly string[]): void {
  const known = new Set(candidates);
  const errors: FieldError[] = [];
  for (const [field, ids] of Object.entries({ used, irrelevant })) {
    for (const [index, id] of ids.entries()) {
      if (!known.has(id)) errors.push({ path: `/${field}/${index}`, message: `${id} is not a result of this search` });
    }
  }
  for (const [index, id] of irrelevant.entries()) {
    if (used.includes(id)) errors.push({ path: `/irrelevant/${index}`, message: `${id} is among the used ones too` });
  }
  if (errors.length > 0) throw new AppError('invalid_request', `${errors[0]!.message}.`, { errors });
}

/** Reciprocal rank of the first wanted index; 0 where there is none. */
function reciprocalRank(wanted: readonly number[], list: readonly number[]): number {
  const rank = list.findIndex((index) => wanted.includes(index));
  return rank < 0 ? 0 : 1 / (rank + 1);
}
