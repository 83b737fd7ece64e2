import type { Language } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { type SearchReading, searchReadingOf } from '../languages/search-words.ts';
import { inOtherKana } from '../languages/unspaced.ts';
import { MAX_QUERY_TERMS, queryTerms, termsOf } from '../text/terms.ts';
import { TRAIT } from '../traits/traits.ts';
import { NO_PHRASES, type Phrases } from './phrases.ts';

/** Roots of the words that mean about the same as a term, and of what it includes. */
export interface RelatedRoots {
  synonyms: readonly string[];
  members: readonly string[];
}

/** What a query in another language than English means, read from its text: see `ParsedQuery`. */
export interface ForeignQuery {
  reading: SearchReading;
  related: ReadonlyMap<string, RelatedRoots>;
  terms: string[];
  phrases: Phrases;
  answerTraits: number;
  asksForRecent: boolean;
  asksForPast: boolean;
  voice: 'user' | null;
}

/** A longer query is a text rather than a question. */
const MAX_QUESTION_CHARACTERS = 1000;
/** Which traits an answer has: texts are read for places in English only, but a place has a name. */
const ASKED_TRAITS = {
  place: TRAIT.place | TRAIT.name,
  time: TRAIT.time | TRAIT.number,
  number: TRAIT.number,
  name: TRAIT.name,
} as const;

/** Reads a query in another language than English by the words of that language; `undefined` for English. */
export function readForeign(query: string): ForeignQuery | undefined {
  const language = languageOf(query);
  const reading = searchReadingOf(language);
  if (reading === undefined) return undefined;
  const { asks, past, isUnspaced } = language.search!;
  const words = subjectWords(query, reading);
  const related = new Map<string, RelatedRoots>();
  const terms = words.flatMap((word) => {
    const found = isUnspaced ? termsOfWord(reading.rootOf(word)) : [word];
    const roots = withOtherKana(word, reading.relatedTo(word));
    // The rest of a longer word adds nothing to what its beginning leads to.
    if (found[0] !== undefined && roots.synonyms.length + roots.members.length > 0) related.set(found[0], roots);
    return found;
  });
  const kinds = Object.entries(ASKED_TRAITS) as [keyof typeof ASKED_TRAITS, number][];
  return {
    reading,
    related,
    terms: terms.length > 0 ? [...new Set(terms)].slice(0, MAX_QUERY_TERMS) : queryTerms(query),
    phrases: NO_PHRASES,
    answerTraits: kinds.reduce((traits, [kind, trait]) => (asks[kind].test(query) ? traits | trait : traits), 0),
    asksForRecent: query.search(language.present) >= 0,
    asksForPast: past.test(query),
    voice: hasSpeaker(query, language) ? 'user' : null,
  };
}

function withOtherKana(word: string, roots: RelatedRoots): RelatedRoots {
  const other = inOtherKana(word);
  return other === undefined ? roots : { ...roots, synonyms: [other, ...roots.synonyms] };
}

/** The words that say what a query is about; of a query of nothing else, all but the function words. */
function subjectWords(query: string, reading: SearchReading): string[] {
  const { language } = reading;
  const isLong = query.length > MAX_QUESTION_CHARACTERS;
  const subject = isLong ? query : query.replace(language.present, ' ');
  const words = language.search!.isUnspaced
    ? language.wordsOf(subject.slice(0, MAX_QUESTION_CHARACTERS))
    : queryTerms(subject);
  const said = words.filter((word) => !reading.isFunctionWord(word));
  const asked = said.filter((word) => !reading.isFraming(word));
  return [...new Set(asked.length > 0 ? asked : said)];
}

/** The index has pairs of characters, and a single one is found by what begins with it. */
function termsOfWord(word: string): string[] {
  return [...word].length === 1 ? [word] : queryTerms(word);
}

function hasSpeaker(query: string, { statements: { speakers, possessives }, wordsOf }: Language): boolean {
  return wordsOf(query.slice(0, MAX_QUESTION_CHARACTERS)).some((word) => speakers.has(word) || possessives.has(word));
}

/** The words of a text that say something, as `SearchReading` reads them. */
export function wordsIn(text: string, { language }: SearchReading): string[] {
  return language.search!.isUnspaced ? language.wordsOf(text) : termsOf(text);
}
