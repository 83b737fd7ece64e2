import { createBoundedMap } from '../../lib/bounded-map.ts';
import { stemOf } from './porter.ts';
import type { IndexedTokens } from './text-index-engine.ts';

/** A row with its stems. */
export interface DocumentTerms {
  row: IndexedTokens;
  /** Tokens in the document. */
  length: number;
  /** How often each stem occurs in it. */
  frequencies: ReadonlyMap<string, number>;
}

/** Terms to stem in one step. */
const TERMS_PER_STEP = 512;

/** Stems the terms of rows, in steps of well under a millisecond. */
export function* termsInSteps(rows: readonly IndexedTokens[]): Generator<void, DocumentTerms[]> {
  const documents: DocumentTerms[] = [];
  for (const row of rows) {
    const frequencies = new Map<string, number>();
    // The first one is empty: a space precedes each term.
    const terms = [...row.terms.toString().split(' ').slice(1), ...row.others];
    for (const [index, term] of terms.entries()) {
      const stem = stemOfTerm(row.prefix, term);
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
      if (index % TERMS_PER_STEP === TERMS_PER_STEP - 1) yield;
    }
    documents.push({ row, length: terms.length, frequencies });
    yield;
  }
  return documents;
}

const MAX_CACHED = 50_000;
/** Up to this many characters, a prefix of a dozen digits does not change how a term is stemmed. */
const MAX_CACHED_CHARACTERS = 16;

const stems = createBoundedMap<string, string>(MAX_CACHED);

/** The stem of a term that is stored with a prefix: the prefix counts as consonants, and toward the length of the token. */
export function stemOfTerm(prefix: string, term: string): string {
  if (term.length > MAX_CACHED_CHARACTERS) return stemOf(prefix + term).slice(prefix.length);
  const known = stems.get(term);
  if (known !== undefined) return known;
  const stem = stemOf(prefix + term).slice(prefix.length);
  stems.set(term, stem);
  return stem;
}
