import { speakerTokensOf } from '../text/terms.ts';
import type { IndexTerm, TermPostings } from './postings.ts';
import { keyOf } from './source-postings.ts';
import type { SearchEngine, SourceSearch } from './source-search.ts';
import { readVisible } from './visible-rows-store.ts';

/** The rows dated in one of the query's months, from the postings of months and speakers. */
export const readDatedPostgres: SearchEngine['dated'] = async (search, { speakers, limit }) => {
  let numbers = await numbersOf(search, search.query.months);
  if (speakers.length > 0) {
    const said = new Set(await numbersOf(search, speakers.flatMap(speakerTokensOf)));
    numbers = numbers.filter((number) => said.has(number));
  }
  if (search.visibleOnly) numbers = [...(await readVisible(search, numbers))];
  return numbers.sort((a, b) => b - a).slice(0, limit);
};

/** The documents that hold any of the terms. */
async function numbersOf({ reader, engine, ...search }: SourceSearch, texts: readonly string[]): Promise<number[]> {
  const terms = texts.map((text): IndexTerm => ({ text, as: 'word' }));
  const found: TermPostings[] = await engine.postings.of(reader, keyOf({ reader, engine, ...search }), terms);
  return [...new Set(found.flatMap(({ numbers }) => numbers))];
}
