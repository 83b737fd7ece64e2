/** Words compiled by hand, where people mean more by a word than WordNet's first senses say. */
export interface Everyday {
  /** Groups of words that mean the same. */
  synonyms: readonly (readonly string[])[];
  /** By category: words for what it includes. */
  categories: ReadonlyMap<string, readonly string[]>;
}

/** Reads lines of `word = word …` and `category … > word …`; `#` begins a comment. */
export function readEveryday(text: string): Everyday {
  const synonyms: string[][] = [];
  const categories = new Map<string, string[]>();
  for (const line of text.split('\n').map((one) => one.replace(/#.*/, '').trim())) {
    if (line === '') continue;
    const [, before, sign, after] = /^([a-z ]+) ([=>]) ([a-z ]+)$/.exec(line) ?? [];
    if (before === undefined) throw new Error(`Neither a group of synonyms nor a category: ${line}`);
    const words = after!.split(' ');
    if (sign === '=') synonyms.push([before, ...words]);
    else
      for (const category of before.split(' '))
        categories.set(category, [...(categories.get(category) ?? []), ...words]);
  }
  return { synonyms, categories };
}
