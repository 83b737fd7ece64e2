import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Candidate } from './candidate.ts';
import type { Coverage } from './coverage.ts';
import type { Fused } from './fusion.ts';
import type { ParsedQuery } from './parsed-query.ts';

/** Coefficients of a logistic model: log odds that a result answers the query. */
interface Model {
  constant: number;
  /** Score by the default ranking, regardless of strategy and feedback. */
  score: number;
  /** Score behind the best result. */
  gap: number;
  own: number;
  near: number;
  information: number;
  date: number;
  speaker: number;
}

/**
 * Fitted to LoCoMo, REALTALK and BEAM: for each question the first ten results, of the dialogue itself, of it before
 * the evidence was said, and of another one; each collection weighs the same. `bench/retrieval/run.ts` prints how well
 * they are calibrated; decision 0042 has the figures.
 */
const MESSAGE: Model = {
  ...{ constant: -6.25, score: 1, gap: -3, own: 1, near: 2, information: 1 },
  ...{ date: 1.5, speaker: 1 },
};
/** For one of a few statements rather than one of hundreds of turns: fitted to the 900 questions of `prompts.json`. */
const STANDALONE: Model = {
  ...{ constant: -8.1, score: 2, gap: -5, own: 3, near: 0, information: 5 },
  ...{ date: MESSAGE.date, speaker: 0 },
};
/** Beyond this, more words of a long query add no evidence. */
const MAX_INFORMATION = 3;
/** What probabilities are rounded to. */
const ROUNDED = 1e-4;
/** The number of results that decide whether anything answers the query. */
const CONSIDERED = 10;

/** Coefficients of a logistic model: log odds that any of the first results answers the query. */
interface AnyModel {
  constant: number;
  /** Log odds that any answers if results were independent of each other. */
  any: number;
  /** The greatest share of the query that a result covers. */
  share: number;
  /** Logarithm of how many memories there are: the more, the more of a query one of them covers by chance. */
  size: number;
}

/**
 * For messages fitted to the same questions, for episodes to people's questions to memories (decision 0094). For memories
 * fitted to the questions of three people to their own memories and to others', to memories of several people together,
 * and to those of `prompts.json`; leaving one person out changes little. See decision 0101.
 */
const ANY: Readonly<Record<ItemType, AnyModel>> = {
  message: { constant: 0.7, any: 1.75, share: 0, size: 0 },
  episode: { constant: -0.55, any: 0.55, share: 0, size: 0 },
  memory: { constant: -2.85, any: 0.2, share: 5.4, size: -0.25 },
};
/** Of a query that weighs more, as many words as weigh this count as the whole of it. */
const WHOLE_QUERY = 3;
/** Memories from which on more of them make a difference, and from which on they make no further one. */
const SIZES = { least: 300, most: 3000 };

/**
 * With other wordings, of which some are guesses, memories cover more of a query by chance. Linear in log odds, fitted to
 * the questions of four people with wordings by somebody who knew none of their memories. The calibration error of a person
 * who was left out is .07 to .15, before this .26 to .32. See decision 0108.
 */
const WITH_WORDINGS = {
  relevance: { constant: -2.75, slope: 0.5 },
  confidence: { constant: -1.25, slope: 0.45 },
};

/**
 * The same for memories: they answer where one holds all of one wording, and more of all wordings than the next one does.
 * Fitted to questions in eleven languages and of three people, of memories with and without labels; see decision 0110.
 */
const ANY_WORDED = { constant: -3.3, way: 2.6, lead: 0.6, information: 0.3 };

export interface Rated {
  /** The probability (0 to 1, four digits) that each candidate answers the query, in the order of the default ranking. */
  relevances: ReadonlyMap<Candidate, number>;
  /** The probability (0 to 1, four digits) that any of the first results answers; at least that of the best. */
  confidence: number;
}

/**
 * Rates the candidates of a query, where `memories` is how many the user has. Depends on words, dates and names alone:
 * similar meaning ranks, but says too little about whether there is an answer.
 */
export function rate(
  byDefault: readonly Fused<Candidate>[],
  memories: number,
  { ways }: Pick<ParsedQuery, 'ways'> = {},
): Rated {
  const best = byDefault[0]?.score ?? 0;
  const relevances = new Map(byDefault.map((hit) => [hit.item, relevanceOf(hit, best)]));
  const most = new Map(
    ITEM_TYPES.map((type) => {
      const first = firstOf(relevances, type);
      const ofFirst = ways === undefined ? probabilityOfAny : probabilityOfAnyWorded;
      return [type, first.length === 0 ? 0 : ofFirst(type, first, memories)];
    }),
  );
  for (const [item, relevance] of relevances) {
    const worded = ways === undefined ? relevance : adjusted(relevance, WITH_WORDINGS.relevance);
    relevances.set(item, item.type === 'message' ? worded : Math.min(worded, most.get(item.type)!));
  }
  const first = [...relevances.values()].slice(0, CONSIDERED);
  return { relevances, confidence: Math.max(...first, ...most.values()) };
}

function adjusted(probability: number, { constant, slope }: { constant: number; slope: number }): number {
  const odds = Math.max(ROUNDED, probability) / Math.max(ROUNDED, 1 - probability);
  return rounded(sigmoid(constant + slope * Math.log(odds)));
}

/** The first results of a type, wherever they rank among others. */
function firstOf(relevances: ReadonlyMap<Candidate, number>, type: ItemType): [Candidate, number][] {
  const first: [Candidate, number][] = [];
  for (const [item, relevance] of relevances) {
    if (item.type === type) first.push([item, relevance]);
    if (first.length === CONSIDERED) break;
  }
  return first;
}

type RatedResult = readonly [Candidate, number];

/** The probability that any of the results, of which there is at least one, answers. */
function probabilityOfAny(type: ItemType, results: readonly RatedResult[], memories: number): number {
  const model = ANY[type];
  const none = results.reduce((product, [, relevance]) => product * (1 - relevance), 1);
  const share = Math.max(...results.map(([{ coverage }]) => shareOf(coverage)));
  const size = Math.log(Math.min(SIZES.most, Math.max(SIZES.least, memories)) / SIZES.least);
  const logOdds = model.constant + model.any * Math.log((1 - none) / none) + model.share * share + model.size * size;
  return rounded(sigmoid(logOdds));
}

/** The same with other wordings of the query. */
function probabilityOfAnyWorded(type: ItemType, results: readonly RatedResult[], memories: number): number {
  if (type !== 'memory') {
    const any = Math.max(probabilityOfAny(type, results, memories), ...results.map(([, relevance]) => relevance));
    return adjusted(any, WITH_WORDINGS.confidence);
  }
  const way = Math.max(...results.map(([{ coverage }]) => coverage.way));
  const [most = 0, next = 0] = results.map(([{ coverage }]) => coverage.information).sort((a, b) => b - a);
  const { constant, lead, information } = ANY_WORDED;
  return rounded(sigmoid(constant + ANY_WORDED.way * way + lead * (most - next) + information * most));
}

/**
 * How much of the query a result covers: of a long one, which no memory covers as a whole, by what it has in all. That of a
 * few common words ("run it again") says less.
 */
function shareOf({ own, information }: Coverage): number {
  return Math.min(1, Math.max(own, information / WHOLE_QUERY)) * Math.min(1, information);
}

function relevanceOf({ item: { type, coverage }, signals, score }: Fused<Candidate>, best: number): number {
  const model = type === 'message' ? MESSAGE : STANDALONE;
  const logOdds =
    model.constant +
    model.score * score +
    model.gap * (best - score) +
    model.own * coverage.own +
    model.near * coverage.near +
    model.information * Math.min(coverage.information, MAX_INFORMATION) +
    model.date * signals.date +
    model.speaker * signals.speaker;
  return rounded(sigmoid(logOdds));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function rounded(probability: number): number {
  return Math.round(probability * 1e4) / 1e4;
}
