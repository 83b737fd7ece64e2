import type { Candidate } from './candidate.ts';
import type { Fused } from './fusion.ts';

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
/** The number of results that decide whether anything answers the query. */
const CONSIDERED = 10;
/**
 * Results are not independent: of messages, the log odds that any of them answers are too near to 0, of memories too far
 * from it. Fitted to the same questions for messages, and to those of eight people for memories; half of them are asked
 * where nothing answers. See decisions 0078 and 0094.
 */
const OF_MESSAGES = { slope: 1.75, offset: 0.4 };
const OF_STANDALONE = { slope: 0.55, offset: -1 };

/**
 * The probability (0 to 1, four digits) that each candidate answers the query, in the order of the default ranking. It
 * depends on words, dates and names alone: similar meaning ranks, but says too little about whether there is an answer.
 */
export function relevancesOf(byDefault: readonly Fused<Candidate>[]): ReadonlyMap<Candidate, number> {
  const best = byDefault[0]?.score ?? 0;
  const relevances = new Map(byDefault.map((hit) => [hit.item, relevanceOf(hit, best)]));
  const most = confidenceIn(relevances, isStandalone, OF_STANDALONE);
  for (const [item, relevance] of relevances) {
    if (isStandalone(item) && relevance > most) relevances.set(item, most);
  }
  return relevances;
}

/** The probability (0 to 1, four digits) that any of the first results answers the query; at least that of the best. */
export function confidenceOf(relevances: ReadonlyMap<Candidate, number>): number {
  const isMessage = (item: Candidate) => !isStandalone(item);
  const first = [...relevances.values()].slice(0, CONSIDERED);
  return Math.max(
    ...first,
    confidenceIn(relevances, isStandalone, OF_STANDALONE),
    confidenceIn(relevances, isMessage, OF_MESSAGES),
  );
}

/** The probability that any of the first results of some types answers, wherever they rank among others. */
function confidenceIn(
  relevances: ReadonlyMap<Candidate, number>,
  isOf: (item: Candidate) => boolean,
  { slope, offset }: { slope: number; offset: number },
): number {
  let none = 1;
  let considered = 0;
  for (const [item, relevance] of relevances) {
    if (!isOf(item)) continue;
    none *= 1 - relevance;
    considered += 1;
    if (considered === CONSIDERED) break;
  }
  return considered === 0 ? 0 : rounded(sigmoid(slope * (Math.log((1 - none) / none) + offset)));
}

function isStandalone({ type }: Candidate): boolean {
  return type !== 'message';
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
