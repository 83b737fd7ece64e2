import type { SignalName } from '../../contract/signals.ts';
import { DAY_MS, daysApart } from '../text/dates.ts';
import { termsOf } from '../text/terms.ts';
import { daysOf, TRAIT } from '../text/traits.ts';
import type { Candidate } from './candidate.ts';
import type { Question } from './question.ts';

/**
 * What speaks for a candidate; each between 0 and 1 (`speaker` from -1), the best of the query being 1:
 * `lexical` its own words, `trigram` words nearly like those asked, `window` the words of it with its neighbours, `session` of its
 * stretch of conversation, `context` of its neighbours alone, `speaker` who said it, `date` the days it tells of against those
 * asked for, `recency` how recent it is, `answerCue` that it holds what is asked for (a time, a number, a name), `reply` that it
 * answers a question like this one, `self` that it is a statement in the first person, `vector` its meaning.
 */
export type Signals = Record<SignalName, number>;

/** After this time half of a thing's recency is left. */
const RECENCY_HALF_LIFE_MS = 30 * DAY_MS;
/** Of the nearness to a day asked for, a week away leaves 1/e. */
const DATE_DECAY_DAYS = 7;
/** Characters of a text that says enough. */
const TELLING_LENGTH = 200;

/** The signals of all candidates of one query, in their order. */
export function signalsOf(
  candidates: readonly Candidate[],
  question: Question,
  speakers: ReadonlySet<string>,
  nowMs: number,
): Signals[] {
  const isSpeaker = speakerTest(candidates, speakers);
  const meaning = meaningOf(candidates);
  const all = candidates.map((candidate, index) => {
    const { scores, facts } = candidate;
    return {
      lexical: Math.max(0, scores.lexical),
      trigram: scores.trigram,
      window: scores.window,
      session: scores.session,
      context: scores.context,
      speaker: isSpeaker(candidate),
      date: dateSignal(candidate, question),
      recency: 2 ** (-Math.max(0, nowMs - facts.until) / RECENCY_HALF_LIFE_MS),
      answerCue: (facts.traits & question.answerTraits) === 0 ? 0 : 1,
      reply: (facts.traitsBefore & TRAIT.question) === 0 ? 0 : scores.before,
      self: selfSignal(candidate),
      vector: meaning[index]!,
    };
  });
  normalise(candidates, all);
  return all;
}

const AROUND = ['window', 'session', 'context', 'reply'] as const;

/**
 * Word scores against the best of the query, recency against the newest, so that in an archive too the newer is told
 * from the older. What stands in no conversation has no surroundings: for it they are its own words, and against messages
 * nothing is gained or lost by that.
 */
function normalise(candidates: readonly Candidate[], all: Signals[]): void {
  const isSpoken = candidates.map(({ type }) => type === 'message');
  const spoken = all.filter((_, index) => isSpoken[index]);
  const [lexTop, triTop] = [topOf('lexical', all), topOf('trigram', all)];
  const spokenShare = spoken.length === 0 ? 1 : Math.min(1, topOf('lexical', spoken) / lexTop);
  const tops = AROUND.map((name) => topOf(name, spoken));
  const newest = topOf('recency', all);
  for (const [index, signals] of all.entries()) {
    signals.lexical /= lexTop;
    signals.trigram /= triTop;
    signals.recency /= newest;
    if (!isSpoken[index]) {
      signals.window = signals.lexical;
      signals.session = signals.lexical;
      continue;
    }
    for (const [place, name] of AROUND.entries()) signals[name] *= spokenShare / tops[place]!;
  }
}

/**
 * Cosines above what is usual in this pool, against the best: most models find any two texts rather alike, so that a
 * cosine as such says little. The fewer there are, the less is usual: one alone is the best. Squared, so that a model
 * that knows nothing of the matter costs less (vectors of pure noise: .2, .3 and .3 points of recall@5, recall@10 and
 * MRR, where unsquared ones cost .5, .9 and .4).
 */
function meaningOf(candidates: readonly Candidate[]): number[] {
  const cosines = candidates.flatMap(({ scores }) => scores.vector ?? []).sort((a, b) => a - b);
  const count = cosines.length;
  const usual = count === 0 ? 0 : Math.max(0, (cosines[count >> 1]! * (count - 1)) / count);
  const most = (cosines.at(-1) ?? 0) - usual;
  return candidates.map(({ scores: { vector } }) =>
    vector === undefined || most <= 0 ? 0 : (Math.max(0, vector - usual) / most) ** 2,
  );
}

function topOf(name: SignalName, of: readonly Signals[]): number {
  return of.reduce((top, signals) => Math.max(top, signals[name]), 0) || 1;
}

/** +1 where the one who is named said it, -1 where another did, 0 where nobody or several are named. */
function speakerTest(candidates: readonly Candidate[], named: ReadonlySet<string>): (candidate: Candidate) => number {
  if (named.size === 0) return () => 0;
  const names = new Set(candidates.flatMap(({ facts }) => facts.speaker ?? []));
  const meant = new Set([...names].filter((name) => includesAll(termsOf(name), named)));
  if (meant.size === 0) return () => 0;
  return ({ facts: { speaker } }) => (speaker === null ? 0 : meant.has(speaker) ? 1 : -1);
}

function includesAll(terms: readonly string[], wanted: ReadonlySet<string>): boolean {
  return [...wanted].every((term) => terms.includes(term));
}

function dateSignal({ facts }: Candidate, { dates }: Question): number {
  if (dates.length === 0) return 0;
  const days = daysOf(facts.at, facts.until, facts.dates);
  const apart = dates.map((asked) => Math.min(...days.map((range) => daysApart(asked, range))));
  return Math.exp(-Math.min(...apart) / DATE_DECAY_DAYS);
}

function selfSignal({ facts: { traits, length } }: Candidate): number {
  const firstPerson = traits & TRAIT.firstPerson ? 0.4 : 0;
  const statement = traits & TRAIT.asks ? 0 : 0.3;
  return firstPerson + statement + 0.3 * Math.min(1, length / TELLING_LENGTH);
}
