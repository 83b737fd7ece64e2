import { runInSlices } from '../../lib/time-slices.ts';
import type { SearchReading } from '../languages/search-words.ts';
import { isCharacter } from '../text/terms.ts';
import type { RelatedRoots } from './foreign-query.ts';
import type { IndexTerm } from './postings.ts';
import { MAX_VOCABULARY, readStemsFrom, readWholeVocabulary } from './source-postings.ts';
import type { SourceSearch } from './source-search.ts';

/** How a stem of the user's vocabulary is related to a term of a query in another language than English. */
export type ForeignRelation = 'alike' | 'part' | 'synonym' | 'member';

export interface ForeignWord {
  term: string;
  word: string;
  relation: ForeignRelation;
  as: IndexTerm['as'];
}

/** What the user's vocabulary holds of the words of a query. */
export interface ForeignWords {
  /** By term, the stems of its other forms. */
  forms: ReadonlyMap<string, readonly string[]>;
  related: readonly ForeignWord[];
}

const NO_FOREIGN_WORDS: ForeignWords = { forms: new Map(), related: [] };

/** The vocabulary of a user with more documents is read only where it begins like a term. */
const MAX_READ_DOCUMENTS = 2000;
const MAX_FORMS = 12;
const WORDS_PER_STEP = 512;
const MAX_RELATED = 48;
/** Words that begin alike and differ in their endings are mostly of one family: "allergie" and "allergisch". */
const MIN_ALIKE = 4;
const MAX_ENDING = 3;
const MIN_ALIKE_SHARE = 0.6;
/** Shorter words are parts of others by chance. */
const MIN_PART = 4;
const MIN_REST = 3;

/**
 * Finds the words of a query in the user's vocabulary: the index stems every language as English, so the stems of a word's
 * other forms are looked up by their roots. See decision 0060.
 */
export async function readForeignWords(search: SourceSearch, terms: readonly string[]): Promise<ForeignWords> {
  const { reading, related = new Map() } = search.query;
  if (reading === undefined) return NO_FOREIGN_WORDS;
  if (reading.language.search!.isUnspaced)
    return { forms: new Map(), related: terms.flatMap((term) => charactersFor(term, related.get(term))) };
  const stems = await vocabularyFor(search, terms, reading);
  return runInSlices(compareWords({ stems, terms, reading, related }), search.query.tenantId);
}

/** Compares each term with the whole vocabulary, and may pause after some of its words. */
function* compareWords({
  stems,
  terms,
  reading,
  related,
}: {
  stems: readonly string[];
  terms: readonly string[];
  reading: SearchReading;
  related: ReadonlyMap<string, RelatedRoots>;
}): Generator<void, ForeignWords> {
  const { compounds } = reading.language.search!;
  const roots: string[] = [];
  const forms = new Map<string, string[]>();
  const found: ForeignWord[] = [];
  for (const term of terms) {
    const own = reading.rootOf(term);
    const { synonyms = [], members = [] } = related.get(term) ?? {};
    const [same, included] = [new Set(synonyms), new Set(members)];
    for (const [at, stem] of stems.entries()) {
      if (at % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
      roots[at] ??= reading.rootOf(stem);
      const root = roots[at];
      if (root === own) {
        forms.set(term, [...(forms.get(term) ?? []), stem].slice(0, MAX_FORMS));
        continue;
      }
      const relation = same.has(root)
        ? 'synonym'
        : included.has(root)
          ? 'member'
          : areAlike(root, own)
            ? 'alike'
            : compounds && (isPart(root, own) || isPart(own, root))
              ? 'part'
              : undefined;
      if (relation !== undefined) found.push({ term, word: stem, relation, as: 'stem' });
    }
  }
  return { forms, related: found.slice(0, MAX_RELATED) };
}

async function vocabularyFor(
  search: SourceSearch,
  terms: readonly string[],
  { rootOf }: SearchReading,
): Promise<readonly string[]> {
  if (search.totals.documents <= MAX_READ_DOCUMENTS) return readWholeVocabulary(search, MAX_VOCABULARY);
  const beginnings = new Set(terms.map((term) => rootOf(term).slice(0, Math.max(MIN_ALIKE, rootOf(term).length - 1))));
  const read = await Promise.all([...beginnings].map((beginning) => readStemsFrom(search, beginning)));
  return [...new Set(read.flat())];
}

/** Without spaces, the index has pairs of characters: the first one of a word leads to it. */
function charactersFor(
  term: string,
  { synonyms, members }: { synonyms: readonly string[]; members: readonly string[] } = { synonyms: [], members: [] },
): ForeignWord[] {
  const as = (word: string) => (isCharacter(word) ? 'prefix' : 'word');
  const of = (relation: 'synonym' | 'member', words: readonly string[]) =>
    words.map((whole): ForeignWord => {
      const word = /^\p{ASCII}/u.test(whole) ? whole : [...whole].slice(0, 2).join('');
      return { term, word, relation, as: as(word) };
    });
  return [...of('synonym', synonyms), ...of('member', members)].slice(0, MAX_RELATED);
}

function areAlike(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  const longest = Math.max(one.length, other.length);
  return shared >= MIN_ALIKE && longest - shared <= MAX_ENDING && shared >= MIN_ALIKE_SHARE * longest;
}

/** Whether a compound begins or ends with a word. */
function isPart(word: string, compound: string): boolean {
  return (
    word.length >= MIN_PART &&
    compound.length >= word.length + MIN_REST &&
    (compound.startsWith(word) || compound.endsWith(word))
  );
}
