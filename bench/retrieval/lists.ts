import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** What others wrote about a set: other wordings of its questions, tags of its facts, or memories extracted of it. */
type Kind = 'wordings' | 'tags' | 'extracted';

/** The file of that, in a folder beside the set. */
export function listsFile(set: string, kind: Kind): string {
  return join(dirname(resolve(set)), kind, basename(set));
}

/** Reads lists of texts by question, or by key of a fact, of some sets. */
export async function readLists(
  sets: readonly string[],
  kind: Exclude<Kind, 'extracted'>,
): Promise<ReadonlyMap<string, string[]>> {
  const all = sets.map(async (set) =>
    Object.entries(JSON.parse(await readFile(listsFile(set, kind), 'utf8')) as Record<string, string[]>),
  );
  return new Map((await Promise.all(all)).flat());
}
