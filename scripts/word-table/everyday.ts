/** Words compiled by hand, where people mean more by a word than WordNet's first senses say. */
export interface Everyday {
  /** Groups of words that mean the same. */
  synonyms: readonly (readonly string[])[];
  /** By category: words for what it includes. */
  categories: ReadonlyMap<string, readonly string[]>;
}

/** Reads lines of `word = word …` and `category > word …`; `#` begins a comment. */
export function readEveryday(text: string): Everyday {
  const synonyms: string[][] = [];
  const categories = new Map<string, string[]>();
  for (const line of text.split('\n').map((one) => one.replace(/#.*/, '').trim())) {
    if (line === '') continue;
    const [word, sign, ...words] = line.split(/\s+/);
    if (sign === '=') synonyms.push([word!, ...words]);
    else if (sign === '>') categories.set(word!, words);
    else throw new Error(`Neither a group of synonyms nor a category: ${line}`);
  }
  return { synonyms, categories };
}
