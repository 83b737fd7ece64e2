import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const;
type Part = (typeof PARTS)[number];
const PART_OF: Readonly<Record<string, Part>> = { n: 'noun', v: 'verb', a: 'adj', s: 'adj', r: 'adv' };

interface Pointer {
  symbol: string;
  /** Key of the synset that it points to. */
  target: string;
  /** The words it relates, counted from 1; 0 for all of them. */
  from: number;
  to: number;
}

/** A set of words that mean the same. */
export interface Synset {
  /** Lexicographer file: 5 for animals, 15 for locations. */
  file: number;
  /** As written, with underscores for spaces. */
  words: readonly string[];
  pointers: readonly Pointer[];
}

/** A word with its synsets, the most frequent sense first. */
export interface Lemma {
  part: Part;
  word: string;
  senses: readonly string[];
  /** How many of the senses occur in the tagged texts. */
  tagged: number;
}

export interface WordNet {
  lemmas: readonly Lemma[];
  /** By part and offset. */
  synsets: ReadonlyMap<string, Synset>;
}

export const NO_WORDNET: WordNet = { lemmas: [], synsets: new Map() };

/** Reads a folder of WordNet's database files (wndb(5WN)). */
export async function readWordNet(folder: string): Promise<WordNet> {
  const lemmas: Lemma[] = [];
  const synsets = new Map<string, Synset>();
  for (const part of PARTS) {
    for (const line of await linesOf(join(folder, `index.${part}`))) lemmas.push(lemmaOf(part, line));
    for (const line of await linesOf(join(folder, `data.${part}`))) {
      synsets.set(`${part}${line.slice(0, 8)}`, synsetOf(line));
    }
  }
  return { lemmas, synsets };
}

/** The lines after the license, which is indented. */
async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'latin1')).split('\n').filter((line) => line !== '' && !line.startsWith(' '));
}

function lemmaOf(part: Part, line: string): Lemma {
  const fields = line.trimEnd().split(' ');
  const pointers = Number(fields[3]);
  return {
    part,
    word: fields[0]!,
    senses: fields.slice(6 + pointers).map((offset) => `${part}${offset}`),
    tagged: Number(fields[5 + pointers]),
  };
}

function synsetOf(line: string): Synset {
  const fields = line.slice(0, line.indexOf(' | ')).split(' ');
  const words = Number.parseInt(fields[3]!, 16);
  const pointersAt = 4 + 2 * words;
  return {
    file: Number(fields[1]),
    // Adjectives may carry a position: "galore(ip)".
    words: Array.from({ length: words }, (_, at) => fields[4 + 2 * at]!.replace(/\(.*\)$/, '')),
    pointers: Array.from({ length: Number(fields[pointersAt]) }, (_, at) => {
      const [symbol, offset, part, related] = fields.slice(pointersAt + 1 + 4 * at);
      return {
        symbol: symbol!,
        target: `${PART_OF[part!]}${offset}`,
        from: Number.parseInt(related!.slice(0, 2), 16),
        to: Number.parseInt(related!.slice(2), 16),
      };
    }),
  };
}
