import { monthsOf, type QueryDate, queryDates } from '../text/dates.ts';
import { monthTokenOf, queryTerms } from '../text/terms.ts';
import { TRAIT } from '../text/traits.ts';

/** What a query asks for, by its text alone. */
export interface ParsedQuery {
  /** Folded terms, speakers' names included. */
  terms: string[];
  dates: QueryDate[];
  /** Months of `dates`, as index terms. */
  months: string[];
  /** Traits of which an answer has at least one; 0 where the query implies none. */
  answerTraits: number;
  asksForRecent: boolean;
}

const CUES: readonly [RegExp, number][] = [
  [/\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bwhich (?:date|day|month|year)\b|\bhow long ago\b/i, TRAIT.time],
  [/\bhow (?:many|much|often|old|long|far)\b/i, TRAIT.number],
  [/\bwhere\b|\b(?:which|what) (?:city|country|place|state|town)\b/i, TRAIT.place],
  [/\bwho(?:m|se)?\b/i, TRAIT.name],
];
const RECENT =
  /\b(?:latest|newest|most recent(?:ly)?|recently|currently|right now|nowadays|at the moment|these days)\b/i;

/** Reads terms, dates and cues from a query; relative dates are resolved against `nowMs`. */
export function parseQuery(query: string, nowMs: number): ParsedQuery {
  const answerTraits = CUES.reduce((traits, [pattern, trait]) => (pattern.test(query) ? traits | trait : traits), 0);
  const dates = queryDates(query, nowMs);
  return {
    terms: queryTerms(query),
    dates,
    months: monthTermsOf(dates),
    answerTraits,
    asksForRecent: RECENT.test(query),
  };
}

function monthTermsOf(dates: readonly QueryDate[]): string[] {
  const terms = dates.flatMap((date) =>
    'range' in date ? monthsOf([date.range]).map((one) => monthTokenOf(one)) : [monthTokenOf({ month: date.month })],
  );
  return [...new Set(terms)];
}
