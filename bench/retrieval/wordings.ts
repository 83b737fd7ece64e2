import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Reads other wordings of questions, by question, from the folder `wordings` beside each of some sets. */
export async function readWordings(sets: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const all = sets.map(async (set) => {
    const file = join(dirname(set), 'wordings', basename(set));
    return Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, string[]>);
  });
  return new Map((await Promise.all(all)).flat());
}
