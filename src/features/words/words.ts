import { readFile } from 'node:fs/promises';
import { createWordTable, type WordTable } from './word-table.ts';

/** The table of related words, which the build makes from WordNet; read at the first call, and again after it failed. */
export interface Words {
  table(): Promise<WordTable>;
}

const BUILT = '../../../dist/words/words.bin';
const FILE = import.meta.url.endsWith('.ts') ? BUILT : './words/words.bin';

/** Creates words from the table of the build, or from another file. */
export function createWords(file: URL = new URL(FILE, import.meta.url)): Words {
  let loading: Promise<WordTable> | undefined;
  return {
    table() {
      loading ??= readFile(file)
        .then(createWordTable)
        .catch((error) => {
          loading = undefined;
          throw error;
        });
      return loading;
    },
  };
}
