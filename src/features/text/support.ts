import { queryTerms, termsInSteps, termsOf } from './terms.ts';

/** A crude stem that ignores English endings: "painted" and "painting" are equal. */
const STEM_CHARACTERS = 5;
const HAS_DIGIT = /\p{Nd}/u;
/** Names, and in German all nouns. */
const CAPITALIZED = /\p{Lu}[\p{L}\p{N}\p{M}'’-]*/gu;

/** Whether a text shares a word with its sources, apart from those `ignored`. */
export function sharesWord(content: string, sources: readonly string[], ignored: ReadonlySet<string>): boolean {
  const stems = new Set(sources.flatMap((text) => termsOf(text)).map(stemOf));
  return queryTerms(content).some((word) => !ignored.has(word) && stems.has(stemOf(word)));
}

/** What a text has of its sources: whether it shares a word with them, and the first number or name that none of them has. */
export interface Support {
  sharesWord: boolean;
  brought: string | undefined;
}

/** Compares a text with its sources, in steps. */
export function* supportInSteps(content: string, sources: readonly string[]): Generator<void, Support> {
  const words = new Set<string>();
  for (const source of sources) for (const word of (yield* termsInSteps(source)).terms) words.add(word);
  const stems = new Set([...words].map(stemOf));
  yield;
  const said = new Set(queryTerms(content));
  const isBrought = (word: string) => said.has(word) && !stems.has(stemOf(word));
  const number = termsOf(content).find((word) => HAS_DIGIT.test(word) && !words.has(word));
  return {
    sharesWord: [...said].some((word) => stems.has(stemOf(word))),
    // A function word may begin a sentence; it is not among the terms of a query.
    brought: number ?? content.match(CAPITALIZED)?.find((name) => termsOf(name).some(isBrought)),
  };
}

function stemOf(word: string): string {
  return word.slice(0, STEM_CHARACTERS);
}
