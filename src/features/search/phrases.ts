import { STOP_WORDS } from '../text/stop-words.ts';
import { queryWords, termsOf } from '../text/terms.ts';

/** The phrases of a query, beyond its single words. */
export interface Phrases {
  /** By term, its compounds with neighboring words: "babysitter" for "baby sitter". */
  joined: ReadonlyMap<string, readonly string[]>;
  /** A particle, which is a stop word, and the word beside it ("on call"), in the order of the query. */
  pairs: readonly (readonly [first: string, second: string])[];
  /** Capitalized words, which may be names. */
  names: ReadonlySet<string>;
}

export const NO_PHRASES: Phrases = { joined: new Map(), pairs: [], names: new Set() };

/** Words that change the meaning of a word beside them. */
const PARTICLES: ReadonlySet<string> = new Set('down in off on out over under up'.split(' '));
const WORD = /^\p{L}{3,}$/u;
const CAPITALIZED = /\p{Lu}[\p{L}\p{M}]+/gu;
/** A longer query is a text rather than a question: only its beginning is read. */
const MAX_WORDS = 32;

/** Finds the phrases of a query. */
export function phrasesOf(query: string): Phrases {
  const words = queryWords(query).slice(0, MAX_WORDS);
  const joined = new Map<string, string[]>();
  const pairs: [string, string][] = [];
  for (const [at, second] of words.entries()) {
    const first = words[at - 1];
    if (first === undefined || first === second) continue;
    if ([first, second].every((word) => WORD.test(word) && !STOP_WORDS.has(word))) {
      for (const word of [first, second]) joined.set(word, [...(joined.get(word) ?? []), first + second]);
    }
    if (isPair(first, second) || isPair(second, first)) pairs.push([first, second]);
  }
  return { joined, pairs, names: new Set(termsOf((query.match(CAPITALIZED) ?? []).join(' '))) };
}

function isPair(particle: string, word: string): boolean {
  return PARTICLES.has(particle) && WORD.test(word) && !STOP_WORDS.has(word);
}
