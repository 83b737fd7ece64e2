import type { SearchReading } from '../languages/search-words.ts';
import { DAY_MS, monthsOf } from '../text/day-ranges.ts';
import { MAX_QUERY_TERMS, monthTokenOf, queryTerms } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { type QueryDate, queryDates } from '../traits/dates.ts';
import { TRAIT } from '../traits/traits.ts';
import { type RelatedRoots, readForeign } from './foreign-query.ts';
import { withoutFraming } from './framing.ts';
import { type Phrases, phrasesOf } from './phrases.ts';

/** The meaning of a query, read from its text alone. */
export interface ParsedQuery {
  /** Folded terms, speakers' names included. */
  terms: string[];
  phrases: Phrases;
  dates: QueryDate[];
  /** Months of `dates`, as index terms. */
  months: string[];
  /** Traits of which an answer has at least one; 0 where the query implies none. */
  answerTraits: number;
  asksForRecent: boolean;
  /** Whether it asks about the past rather than the present. */
  asksForPast: boolean;
  /** The speaker in a chat whose words are asked for; `null` if the query does not say. */
  voice: 'user' | 'assistant' | null;
  /** The words of its language; absent for English. */
  reading?: SearchReading;
  /** By term, the roots of words related to it, where the language is not English. */
  related?: ReadonlyMap<string, RelatedRoots>;
  /** Roots of the terms that only its other wordings have; absent without those. */
  wordingRoots?: ReadonlySet<string>;
  /** The terms of each way in which it is asked: its own and those of its other wordings; absent without those. */
  ways?: readonly (readonly string[])[];
}

const PLACES = 'area city cities country countries destination island location place region state town';
const NAMED =
  'album artist author band book cat dog film friend game magazine movie musician novel people person pet series show song';

/** "what did she book" does not ask for a noun, and "what kind of books" does not ask for a title. */
const NOT_BEFORE_NOUN = '(?:am|are|can|did|do|does|had|has|have|is|was|were|will|(?:kind|sort|type)s?)';

/** Matches "which" or "what", up to three words such as "European", and a noun. */
function asksWhich(nouns: string): RegExp {
  const words = `(?:(?!${NOT_BEFORE_NOUN} )[\\p{L}.'’-]+ ){0,3}?`;
  return new RegExp(`\\b(?:which|what) ${words}(?:${nouns.replaceAll(' ', '|')})s?\\b`, 'iu');
}

const CUES: readonly [RegExp, number][] = [
  [/\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bwhich (?:date|day|month|year)\b|\bhow long ago\b/i, TRAIT.time],
  [/\bhow (?:many|much|often|old|long|far)\b/i, TRAIT.number],
  [/\bwhere\b/i, TRAIT.place],
  [asksWhich(PLACES), TRAIT.place | TRAIT.name],
  [/\bwho(?:m|se)?\b|\bnames?\b/i, TRAIT.name],
  [asksWhich(NAMED), TRAIT.name],
];
const RECENT =
  /\b(?:latest|newest|most recent(?:ly)?|recently|currently|right now|nowadays|at the moment|these days)\b/i;

const PAST =
  /\b(?:used to|previous(?:ly)?|former(?:ly)?|before|originally|initially|at first|history|changed?|earlier)\b/i;
const SAID = 'said|recommended|suggested|told|mentioned|advised|gave|explained|proposed|listed|wrote';
const OF_ASSISTANT = new RegExp(
  `\\b(?:did|have|had) you (?:\\w+ )?(?:say|recommend|suggest|tell|mention|advise|give|given|explain|propose|list|write|written|${SAID})\\b|\\byou (?:\\w+ )?(?:${SAID})\\b|\\byour (?:advice|answers?|recommendations?|suggestions?|explanations?)\\b`,
  'i',
);
const OF_USER = /\b(?:I|my|me|mine|myself|we|our|ours|us)\b/i;
/** A summary is about what both said. */
const OF_BOTH = /\bsummar(?:y|ies|i[sz]e[ds]?)\b|\boverview\b|\brecap\b/i;

/** A month or day without a year may be past; "on Saturday" is to come. */
function mayBePast(date: QueryDate, nowMs: number): boolean {
  return !('range' in date) || date.range[1] < Math.floor(nowMs / DAY_MS);
}

/** Reads terms, dates and cues from a query; relative dates are resolved against `nowMs`. */
export function parseQuery(query: string, nowMs: number): ParsedQuery {
  const foreign = readForeign(query);
  if (foreign !== undefined) {
    const dates = queryDates(query, nowMs);
    const { asksForPast, ...rest } = foreign;
    const isPast = asksForPast || dates.some((date) => mayBePast(date, nowMs));
    return { ...rest, dates, months: monthTermsOf(dates), asksForPast: isPast };
  }
  const answerTraits = CUES.reduce((traits, [pattern, trait]) => (pattern.test(query) ? traits | trait : traits), 0);
  const dates = queryDates(query, nowMs);
  const subject = withoutFraming(query);
  return {
    terms: queryTerms(subject),
    phrases: phrasesOf(subject),
    dates,
    months: monthTermsOf(dates),
    answerTraits,
    asksForRecent: RECENT.test(query),
    asksForPast: dates.some((date) => mayBePast(date, nowMs)) || PAST.test(query),
    voice: voiceOf(query),
  };
}

/** Of a long query, other wordings take the place of half of the terms. */
const MAX_WORDING_TERMS = MAX_QUERY_TERMS / 2;

/** Adds the terms of other wordings of a query; what else it asks for, its own words say. */
export function withWordings(parsed: ParsedQuery, wordings: readonly string[] = []): ParsedQuery {
  const all = wordings.map((wording) => ({ foreign: readForeign(wording), wording }));
  const read = all.map(({ foreign, wording }) => foreign?.terms ?? queryTerms(withoutFraming(wording)));
  const own = new Set(parsed.terms);
  const added = [...new Set(read.flat())].filter((term) => !own.has(term));
  if (added.length === 0) return parsed;
  const terms = parsed.terms.slice(0, MAX_QUERY_TERMS - Math.min(added.length, MAX_WORDING_TERMS));
  const names = all.flatMap(({ wording }) => [...phrasesOf(wording).names]);
  const related = all.flatMap(({ foreign }) =>
    foreign?.reading === parsed.reading ? [...(foreign?.related ?? [])] : [],
  );
  const ownRoots = new Set(parsed.terms.map(rootOf));
  return {
    ...parsed,
    terms: [...terms, ...added].slice(0, MAX_QUERY_TERMS),
    wordingRoots: new Set(added.map(rootOf).filter((root) => !ownRoots.has(root))),
    ways: [parsed.terms, ...read],
    phrases: { ...parsed.phrases, names: new Set([...parsed.phrases.names, ...names]) },
    ...(parsed.related && { related: new Map([...related, ...parsed.related]) }),
  };
}

/** The terms that say what a query is about. */
export function subjectTerms(query: string): string[] {
  return readForeign(query)?.terms ?? queryTerms(withoutFraming(query));
}

function voiceOf(query: string): ParsedQuery['voice'] {
  if (OF_BOTH.test(query)) return null;
  if (OF_ASSISTANT.test(query)) return 'assistant';
  return OF_USER.test(query) ? 'user' : null;
}

function monthTermsOf(dates: readonly QueryDate[]): string[] {
  const terms = dates.flatMap((date) =>
    'range' in date ? monthsOf([date.range]).map((one) => monthTokenOf(one)) : [monthTokenOf({ month: date.month })],
  );
  return [...new Set(terms)];
}
