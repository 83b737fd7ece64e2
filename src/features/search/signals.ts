import type { SignalName } from '../../contract/signals.ts';
import { ROW_IDS_PER_CONVERSATION } from '../conversations/message-row.ts';
import { DAY_MS, daysOf } from '../text/day-ranges.ts';
import { stemOf } from '../text/porter.ts';
import { termsOf } from '../text/terms.ts';
import { daysApart } from '../traits/dates.ts';
import { TRAIT } from '../traits/traits.ts';
import type { Candidate } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { isNameLike } from './spelling.ts';

/**
 * Evidence for a candidate, each between 0 and 1 (`speaker` from -1), relative to the best of the query:
 * - `lexical`: its own words; `trigram`: words spelled like unknown query terms
 * - `window`, `session`, `context`: words of it and its neighbors, of its passage, of its neighbors alone
 * - `speaker`: who said it, by name or, in a chat with an assistant, by role; `date`: its dates against those asked for; `recency`: how new it is
 * - `answerCue`: it holds what is asked for (a time, a number, a place, a name)
 * - `reply`: it follows a question like this one; `self`: it is a first-person statement
 * - `vector`: its meaning; `early`: it opens its conversation, where people say what is new
 * - `coverage`: the share of the query's rarest words that it and its neighbors hold
 * - `category`: the share of the query's words that name a category of which it holds a member
 * - `learnedWords`: the share of the query's words, by weight and certainty, that it was used for before
 */
export type Signals = Record<SignalName, number>;

/** What each signal counts for unless feedback taught otherwise; the others count for nothing. */
export const DEFAULT_WEIGHTS: Partial<Signals> = {
  lexical: 2,
  trigram: 1,
  window: 2.25,
  session: 1.5,
  speaker: 1.25,
  date: 6,
  answerCue: 1.5,
  reply: 1,
  self: 1,
  vector: 1.25,
  early: 0.5,
  coverage: 0.75,
  category: 1,
  learnedWords: 12,
};

const RECENCY_HALF_LIFE_MS = 30 * DAY_MS;
/** A week away from the date asked for leaves 1/e of the signal. */
const DATE_DECAY_DAYS = 7;
/** Length in characters from which a text gets the full length bonus. */
const FULL_LENGTH = 200;
/** Messages that open a conversation. */
const EARLY_MESSAGES = 2;

/** Computes the signals of all candidates of one query, in the order of the candidates. */
export function signalsOf(
  candidates: readonly Candidate[],
  query: ParsedQuery,
  speakers: ReadonlySet<string>,
  nowMs: number,
): Signals[] {
  const voice = voiceIn(candidates, query, speakers);
  const isSpeaker = voice === null ? speakerTest(candidates, speakers) : roleTest(voice);
  const vectors = vectorSignals(candidates);
  const all = candidates.map((candidate, index) => {
    const { scores, facts } = candidate;
    return {
      lexical: Math.max(0, scores.lexical),
      trigram: scores.trigram,
      window: scores.window,
      session: scores.session,
      context: scores.context,
      speaker: isSpeaker(candidate),
      date: dateSignal(candidate, query),
      recency: 2 ** (-Math.max(0, nowMs - facts.until) / RECENCY_HALF_LIFE_MS),
      answerCue: (facts.traits & query.answerTraits) === 0 ? 0 : 1,
      // In a chat with an assistant, which ends its turns with questions, the user's next message is rarely an answer.
      reply: voice !== null || (facts.traitsBefore & TRAIT.question) === 0 ? 0 : scores.before,
      self: selfSignal(candidate),
      vector: vectors[index]!,
      early: isEarly(candidate) ? 1 : 0,
      coverage: candidate.coverage.rare,
      category: candidate.category,
      learnedWords: candidate.learnedWords,
    };
  });
  normalize(candidates, all);
  return all;
}

/** Signals that only messages have. */
const CONVERSATION_SIGNALS = ['window', 'session', 'context', 'reply'] as const;

/**
 * Divides word scores by the best of the query, and recency by the newest so that it still discriminates in an archive.
 * An item outside conversations gets its lexical score as window and session, and the signals of messages are scaled to
 * the messages' best lexical score, so that neither kind gains an advantage.
 */
function normalize(candidates: readonly Candidate[], all: Signals[]): void {
  const isMessage = candidates.map(({ type }) => type === 'message');
  const messages = all.filter((_, index) => isMessage[index]);
  const [topLexical, topTrigram] = [topOf('lexical', all), topOf('trigram', all)];
  const messageShare = messages.length === 0 ? 1 : Math.min(1, topOf('lexical', messages) / topLexical);
  const tops = CONVERSATION_SIGNALS.map((name) => topOf(name, messages));
  const topRecency = topOf('recency', all);
  for (const [index, signals] of all.entries()) {
    signals.lexical /= topLexical;
    signals.trigram /= topTrigram;
    signals.recency /= topRecency;
    if (!isMessage[index]) {
      signals.window = signals.lexical;
      signals.session = signals.lexical;
      continue;
    }
    for (const [at, name] of CONVERSATION_SIGNALS.entries()) signals[name] *= messageShare / tops[at]!;
  }
}

/**
 * Cosines above the pool's median, relative to the best: most models find any two texts fairly similar, so an absolute
 * cosine says little. The median is scaled down for small pools; a single cosine scores 1. Squared, so that a model
 * that does not fit the data costs less (pure noise costs .2, .3 and .3 points of recall@5, recall@10 and MRR; .5, .9
 * and .4 unsquared).
 */
function vectorSignals(candidates: readonly Candidate[]): number[] {
  const cosines = candidates.flatMap(({ scores }) => scores.vector ?? []).sort((a, b) => a - b);
  const count = cosines.length;
  const baseline = count === 0 ? 0 : Math.max(0, (cosines[count >> 1]! * (count - 1)) / count);
  const range = (cosines.at(-1) ?? 0) - baseline;
  return candidates.map(({ scores: { vector } }) =>
    vector === undefined || range <= 0 ? 0 : (Math.max(0, vector - baseline) / range) ** 2,
  );
}

function topOf(name: SignalName, of: readonly Signals[]): number {
  return of.reduce((top, signals) => Math.max(top, signals[name]), 0) || 1;
}

/** The role whose words the query asks for, if it names no speaker and both a user and an assistant were found. */
function voiceIn(
  candidates: readonly Candidate[],
  { voice }: ParsedQuery,
  named: ReadonlySet<string>,
): ParsedQuery['voice'] {
  const has = (role: 'user' | 'assistant') => candidates.some(({ facts }) => facts.role === role);
  return named.size === 0 && has('user') && has('assistant') ? voice : null;
}

/** +1 for words of that role, -1 for those of another. Items outside conversations are the user's own words. */
function roleTest(voice: 'user' | 'assistant'): (candidate: Candidate) => number {
  return ({ facts: { role } }) => {
    if (role === null) return voice === 'user' ? 1 : 0;
    return role === voice ? 1 : -1;
  };
}

/** +1 where the named speaker said it, -1 where another did, 0 where no one speaker has all the names. */
function speakerTest(candidates: readonly Candidate[], named: ReadonlySet<string>): (candidate: Candidate) => number {
  if (named.size === 0) return () => 0;
  const names = new Set(candidates.flatMap(({ facts }) => facts.speaker ?? []));
  const exact = [...names].filter((name) => includesAll(termsOf(name), named));
  const matching = new Set(exact.length > 0 ? exact : [...names].filter((name) => areLike(termsOf(name), named)));
  if (matching.size === 0) return () => 0;
  return ({ facts: { speaker } }) => (speaker === null ? 0 : matching.has(speaker) ? 1 : -1);
}

function includesAll(terms: readonly string[], wanted: ReadonlySet<string>): boolean {
  return [...wanted].every((term) => terms.includes(term));
}

/** Whether all names are among the terms, or spelled like one of them. */
function areLike(terms: readonly string[], wanted: ReadonlySet<string>): boolean {
  return [...wanted].every((name) => terms.includes(name) || isNameLike(stemOf(name), terms.map(stemOf)));
}

function dateSignal({ facts }: Candidate, { dates }: ParsedQuery): number {
  if (dates.length === 0) return 0;
  const days = daysOf(facts.at, facts.until, facts.dates);
  const apart = dates.map((date) => Math.min(...days.map((range) => daysApart(date, range))));
  return Math.exp(-Math.min(...apart) / DATE_DECAY_DAYS);
}

function isEarly({ type, facts }: Candidate): boolean {
  return type === 'message' && facts.rowId % ROW_IDS_PER_CONVERSATION <= EARLY_MESSAGES;
}

function selfSignal({ facts: { traits, length } }: Candidate): number {
  const firstPerson = traits & TRAIT.firstPerson ? 0.4 : 0;
  const statement = traits & TRAIT.asks ? 0 : 0.3;
  return firstPerson + statement + 0.3 * Math.min(1, length / FULL_LENGTH);
}
