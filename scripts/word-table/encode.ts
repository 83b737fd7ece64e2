import { readFile } from 'node:fs/promises';
import { formatEntry } from '../../src/features/words/word-entry.ts';
import { encodeTable } from '../../src/features/words/word-table.ts';
import { entriesOf } from './entries.ts';
import { readEveryday } from './everyday.ts';
import { NO_WORDNET, readWordNet } from './wordnet.ts';

/** The table of WordNet's words, or without a folder of the everyday words alone. */
export async function encodeWords(everydayFile: string, wordNetFolder: string | undefined): Promise<Buffer> {
  const wordNet = wordNetFolder === undefined ? NO_WORDNET : await readWordNet(wordNetFolder);
  const entries = entriesOf(wordNet, readEveryday(await readFile(everydayFile, 'utf8')));
  return encodeTable(new Map([...entries].map(([stem, entry]) => [stem, formatEntry(entry)])));
}
