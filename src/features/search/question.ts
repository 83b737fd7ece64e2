import { type AskedDate, askedDates, monthsOf } from '../text/dates.ts';
import { monthTokenOf, queryTerms } from '../text/terms.ts';
import { TRAIT } from '../text/traits.ts';

/** What a query asks, read from its words alone. */
export interface Question {
  /** The words to look up, folded; names of speakers among them. */
  terms: string[];
  dates: AskedDate[];
  /** The months of these dates, as terms of the index. */
  months: string[];
  /** The traits of which an answer has at least one; 0 where the question tells nothing of that. */
  answerTraits: number;
  /** It asks for what is newest. */
  recent: boolean;
}

const CUES: readonly [RegExp, number][] = [
  [/\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bwhich (?:date|day|month|year)\b|\bhow long ago\b/i, TRAIT.time],
  [/\bhow (?:many|much|often|old|long|far)\b/i, TRAIT.number],
  [/\bwhere\b|\b(?:which|what) (?:city|country|place|state|town)\b/i, TRAIT.place],
  [/\bwho(?:m|se)?\b/i, TRAIT.name],
];
const RECENT =
  /\b(?:latest|newest|most recent(?:ly)?|recently|currently|right now|nowadays|at the moment|these days)\b/i;

export function readQuestion(query: string, nowMs: number): Question {
  const answerTraits = CUES.reduce((traits, [pattern, trait]) => (pattern.test(query) ? traits | trait : traits), 0);
  const dates = askedDates(query, nowMs);
  return {
    terms: queryTerms(query),
    dates,
    months: askedMonths(dates),
    answerTraits,
    recent: RECENT.test(query),
  };
}

function askedMonths(dates: readonly AskedDate[]): string[] {
  const terms = dates.flatMap((date) =>
    'range' in date ? monthsOf([date.range]).map((one) => monthTokenOf(one)) : [monthTokenOf({ month: date.month })],
  );
  return [...new Set(terms)];
}
