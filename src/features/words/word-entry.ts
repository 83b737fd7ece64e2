/** A range of WordNet's noun senses, which are numbered depth first: a sense and those below it. */
export interface Senses {
  first: number;
  last: number;
}

/** The table's entry for the words with one stem. */
export interface WordEntry {
  /** Where the first sense of each noun stands; one of several places below as many categories. */
  senses: readonly Senses[];
  /** Words that mean the same in one of their first senses. */
  synonyms: readonly string[];
  /** Words of the same family with another stem: "allergic" for "allergy". */
  derived: readonly string[];
  /** Words for what it includes, besides those below its senses: "dog" for "pet". */
  included: readonly string[];
}

const RADIX = 36;

/** An entry as one line of ASCII, without its stem. */
export function formatEntry({ senses, synonyms, derived, included }: WordEntry): string {
  return [senses.map(formatSenses), synonyms, derived, included]
    .map((list) => list.join(' '))
    .join('\t')
    .trimEnd();
}

/** The entry that `formatEntry` wrote. */
export function parseEntry(line: string): WordEntry {
  const [senses, synonyms, derived, included] = line.split('\t').map((list) => (list === '' ? [] : list.split(' ')));
  return {
    senses: (senses ?? []).map(parseSenses),
    synonyms: synonyms ?? [],
    derived: derived ?? [],
    included: included ?? [],
  };
}

function formatSenses({ first, last }: Senses): string {
  return [first, ...(last > first ? [last - first] : [])].map((number) => number.toString(RADIX)).join('.');
}

function parseSenses(text: string): Senses {
  const [first = 0, below = 0] = text.split('.').map((number) => Number.parseInt(number, RADIX));
  return { first, last: first + below };
}
