import type { Reader } from '../../db/connection.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import type { CandidateQuery, CandidateSearch, ItemRows } from './candidate.ts';
import { followersOf, isOne, type Statement } from './restatements.ts';
import { RARE } from './sentence-replacement.ts';
import { type StatementReader, statementReader } from './statement-words.ts';

/** How many of the first memories are followed, by how many of their words, and how many memories are compared with them. */
export const MAX_FOLLOWED = 2;
const MAX_WORDS = 6;
const MAX_COMPARED = 8;

/**
 * Finds newer memories that take the place of the first ones and share no word with the query: "the Hagen truck comes on
 * Thursday now" for "flour comes on Tuesday from Hagen", where the flour is asked for. Those are among the few that share a
 * rare word with the older one. Returns the newer one's id by that of the older one.
 */
export async function findFollowers(
  candidates: Pick<CandidateSearch, 'readHolding' | 'load'>,
  reader: Reader,
  query: CandidateQuery,
  { first, asked, known }: { first: readonly Statement[]; asked: ReadonlySet<string>; known: ReadonlySet<number> },
): Promise<ReadonlyMap<string, string>> {
  const older = first.filter((one) => one.type === 'memory' && isOne(one)).slice(0, MAX_FOLLOWED);
  const statements = statementReader(query.reading);
  const words = tellingWords(older, asked, statements);
  if (words.length === 0) return new Map();
  const holding = await candidates.readHolding(reader, query, words);
  const counts = new Map(words.map((word, at) => [statements.rootOf(word), holding[at]!.length]));
  const rare = holding.filter(({ length }) => length <= RARE).flatMap((rowIds) => [...rowIds]);
  const newest = [...new Set(rare)].filter((rowId) => !known.has(rowId)).sort((a, b) => b - a);
  if (newest.length === 0) return new Map();
  const rows = await candidates.load(reader, query, 'memory', newest.slice(0, MAX_COMPARED));
  const isRare = (root: string) => (counts.get(root) ?? Number.POSITIVE_INFINITY) <= RARE;
  const tells = (root: string) => (isRare(root) ? 1 : 0);
  return followersOf(older, [...rows.values()].map(toStatement), statements.askedOf(asked), tells, statements);
}

/** Words of statements that are not of any subject, and not asked for: what holds those was found. */
function tellingWords(
  statements: readonly Statement[],
  asked: ReadonlySet<string>,
  { isStopWord, isCommon }: StatementReader,
): string[] {
  const words = new Map<string, string>();
  for (const term of statements.flatMap(({ content }) => termsOf(content))) {
    const root = rootOf(term);
    const tells = !isStopWord(term) && !isCommon(term) && !/^\d/.test(term) && !asked.has(root);
    if (tells && !words.has(root)) words.set(root, term);
  }
  return [...words.values()].slice(0, MAX_WORDS);
}

function toStatement({ id, content, occurredAt, createdAt, origin }: ItemRows['memory']): Statement {
  return {
    ...{ type: 'memory', id, content, atMs: occurredAt ?? createdAt, speaker: null, answers: true, origin },
    ...{ storedAtMs: createdAt, usedAtMs: undefined },
  };
}
