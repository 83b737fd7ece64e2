import { STOP_WORDS } from '../../src/features/text/stop-words.ts';
import { indexedStemOf } from '../../src/features/words/related-words.ts';
import type { Senses, WordEntry } from '../../src/features/words/word-entry.ts';
import { numberSenses } from './categories.ts';
import type { Everyday } from './everyday.ts';
import type { Lemma, Synset, WordNet } from './wordnet.ts';

const WORD = /^[a-z]{2,20}$/;
/** Senses that occur in texts, of which the words that share them count. */
const SENSES = 2;
const DERIVED_SENSES = 3;
const MAX_RELATED = 12;
/** Names of places are categories' members ("Athens" of "city"); those of people, books and species are not. */
const LOCATION = 15;
const OBJECT = 17;
const ANIMAL = 5;
const PLANT = 20;
const PART = '%p';
/** Derivationally related form, and what an adjective or adverb comes from. */
const DERIVATIONS: ReadonlySet<string> = new Set(['+', '\\']);

type Draft = { [K in keyof WordEntry]: WordEntry[K][number][] };

/** The entries of the table by stem. */
export function entriesOf(wordNet: WordNet, everyday: Everyday): Map<string, WordEntry> {
  const numbers = numberSenses(wordNet);
  const drafts = new Map<string, Draft>();
  const draftOf = (word: string): Draft => {
    const stem = indexedStemOf(word);
    const draft = drafts.get(stem) ?? { senses: [], synonyms: [], derived: [], included: [] };
    drafts.set(stem, draft);
    return draft;
  };
  const words = frequentFirst(wordNet.lemmas).filter(({ word }) => WORD.test(word) && !STOP_WORDS.has(word));
  const isTagged = new Set(words.filter(({ tagged }) => tagged > 0).map(({ word }) => word));
  const isOther = new Set(words.filter(({ part }) => part !== 'noun').map(({ word }) => word));
  for (const lemma of words) {
    const { word, part } = lemma;
    const draft = draftOf(word);
    if (part === 'noun') {
      draft.senses.push(...sensesOf(lemma, wordNet, numbers, isOther));
      draft.included.push(...placesIn(lemma, wordNet.synsets));
    }
    const { synonyms, derived } = relatedTo(lemma, wordNet);
    draft.synonyms.push(...synonyms.filter((other) => isTagged.has(other)));
    draft.derived.push(...derived);
  }
  for (const group of everyday.synonyms) {
    for (const word of group) draftOf(word).synonyms.unshift(...group.filter((other) => other !== word));
  }
  for (const [category, members] of everyday.categories) draftOf(category).included.push(...members);
  return new Map(
    [...drafts]
      .map(([stem, draft]): [string, WordEntry] => [stem, finished(stem, draft)])
      .filter(([, entry]) => Object.values(entry).some(({ length }) => length > 0)),
  );
}

/** Words with one stem, such as "organ" and "organize", share an entry: the most frequent one comes first. */
function frequentFirst(lemmas: readonly Lemma[]): Lemma[] {
  return lemmas.toSorted(
    (a, b) => b.tagged - a.tagged || b.senses.length - a.senses.length || (a.word < b.word ? -1 : 1),
  );
}

/** Where the first noun sense stands, unless it is that of a species, or of a name that is not a place's. */
function sensesOf(
  { word, senses }: Lemma,
  { synsets }: WordNet,
  numbers: ReadonlyMap<string, Senses[]>,
  isOther: ReadonlySet<string>,
): Senses[] {
  const synset = synsets.get(senses[0]!)!;
  const isName = !synset.words.includes(word);
  if (isInstance(synset) && (![LOCATION, OBJECT].includes(synset.file) || isOther.has(word))) return [];
  if (isName && [ANIMAL, PLANT].includes(synset.file)) return [];
  return numbers.get(senses[0]!) ?? [];
}

/** Whether it is one of its kind, with a name of its own. */
function isInstance({ pointers }: Synset): boolean {
  return pointers.some(({ symbol }) => symbol === '@i');
}

/** The names of what lies in a place, if the word is the name of one: "Lisbon" in "Portugal". */
function placesIn({ senses }: Lemma, synsets: ReadonlyMap<string, Synset>): string[] {
  const isPlace = (key: string) => [LOCATION, OBJECT].includes(synsets.get(key)!.file);
  const [place] = senses;
  if (!isPlace(place!) || !isInstance(synsets.get(place!)!)) return [];
  const within = new Set([place!]);
  for (const key of within) {
    for (const { symbol, target } of synsets.get(key)!.pointers)
      if (symbol === PART && isPlace(target)) within.add(target);
  }
  within.delete(place!);
  return [...within].flatMap((key) => synsets.get(key)!.words.map((name) => name.toLowerCase()));
}

/** The other words of the first senses, and those of the same family. */
function relatedTo({ word, senses, tagged }: Lemma, { synsets }: WordNet): { synonyms: string[]; derived: string[] } {
  const used = senses.filter((_, at) => at === 0 || at < tagged).map((key) => synsets.get(key)!);
  return {
    synonyms: used.slice(0, SENSES).flatMap(({ words }) => words.filter((other) => other !== word)),
    derived: used.slice(0, DERIVED_SENSES).flatMap((synset) => derivedFrom(word, synset, synsets)),
  };
}

function derivedFrom(word: string, { words, pointers }: Synset, synsets: ReadonlyMap<string, Synset>): string[] {
  const position = words.findIndex((other) => other.toLowerCase() === word) + 1;
  return pointers
    .filter(({ symbol, from }) => DERIVATIONS.has(symbol) && from === position)
    .map(({ target, to }) => synsets.get(target)!.words[to - 1]!);
}

/** Drops words of the same stem, of several words, and all but the first of each stem. */
function finished(stem: string, { senses, synonyms, derived, included }: Draft): WordEntry {
  const seen = new Set([stem]);
  const distinct = (words: readonly string[]) =>
    words.filter((word) => {
      const other = indexedStemOf(word);
      if (!WORD.test(word) || STOP_WORDS.has(word) || seen.has(other)) return false;
      seen.add(other);
      return true;
    });
  return {
    senses: senses.filter(({ first }, at) => senses.findIndex((one) => one.first === first) === at),
    derived: distinct(derived).slice(0, MAX_RELATED),
    synonyms: distinct(synonyms).slice(0, MAX_RELATED),
    included: distinct(included),
  };
}
