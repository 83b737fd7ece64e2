import { lastSaid } from '../../contract/memories.ts';
import type { Reader } from '../../db/connection.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { type AttributeQuestion, attributeFollowersOf } from './attribute-followers.ts';
import type { CandidateQuery, CandidateSearch, ItemRows } from './candidate.ts';
import { wordsIn } from './foreign-query.ts';
import { followersOf, isOne, type Statement } from './restatements.ts';
import type { Numbers } from './scores.ts';
import { RARE } from './sentence-replacement.ts';
import { type StatementReader, statementReader } from './statement-words.ts';

/** How many of the first memories are followed, by how many of their words, and how many memories are compared with them. */
const MAX_FOLLOWED = 2;
const MAX_WORDS = 6;
const MAX_COMPARED = 8;
/** As many for an attribute that is asked for. */
const MAX_ATTRIBUTED = 10;
const MAX_ATTRIBUTE_WORDS = 32;
const MAX_ATTRIBUTES = 24;

interface Followed {
  /** Results, the best first. */
  found: readonly Statement[];
  question: AttributeQuestion | undefined;
  /** Roots of the query's words. */
  asked: ReadonlySet<string>;
  /** Rows of the results. */
  known: ReadonlySet<number>;
}

/**
 * Finds newer memories that take the place of the first ones: those that share no word with the query, such as "the Hagen
 * truck comes on Thursday now" for "flour comes on Tuesday from Hagen", where the flour is asked for, and those that announce
 * a change of the attribute which is asked for. They are among the few that share a rare word with the older one, and the
 * newest ones that hold a word of the attribute. Returns the newer one's id by that of the older one.
 */
export async function findFollowers(
  candidates: Pick<CandidateSearch, 'readHolding' | 'load'>,
  reader: Reader,
  query: CandidateQuery,
  { found, question, asked, known }: Followed,
): Promise<ReadonlyMap<string, string>> {
  const statements = statementReader(query.reading);
  const memories = found.filter((one) => one.type === 'memory' && isOne(one));
  if (memories.length === 0) return new Map();
  const older = memories.slice(0, MAX_FOLLOWED);
  const words = tellingWords(older, asked, statements);
  const ofAttributes = question?.reader.wordsOf(question.attributes).slice(0, MAX_ATTRIBUTE_WORDS) ?? [];
  if (words.length + ofAttributes.length === 0) return new Map();
  const terms = words.map(({ term }) => term);
  const holding = await candidates.readHolding(reader, query, 'memory', [...terms, ...ofAttributes]);
  const counts = new Map(words.map(({ word }, at) => [statements.rootOf(word), holding[at]!.length]));
  const isNew = (rowId: number) => !known.has(rowId);
  const isRareList = ({ length }: Numbers) => length <= RARE;
  const rare = newestRows(holding.slice(0, words.length).filter(isRareList), isNew, MAX_COMPARED);
  const attributed = newestRows(holding.slice(words.length), isNew, MAX_ATTRIBUTES);
  const rowIds = [...new Set([...rare, ...attributed])];
  const rows = rowIds.length === 0 ? new Map() : await candidates.load(reader, query, 'memory', rowIds);
  const read = (ids: readonly number[]) =>
    ids.flatMap((rowId) => (rows.has(rowId) ? [toStatement(rows.get(rowId)!)] : []));
  const isRare = (root: string) => (counts.get(root) ?? Number.POSITIVE_INFINITY) <= RARE;
  const tells = (root: string) => (isRare(root) ? 1 : 0);
  return new Map([
    ...(question
      ? attributeFollowersOf(
          memories.slice(0, MAX_ATTRIBUTED),
          [...memories.slice(MAX_ATTRIBUTED), ...read(rowIds)],
          question,
        )
      : []),
    ...followersOf(older, read(rare), statements.askedOf(asked), tells, statements),
  ]);
}

/** Returns the newest wanted rows of some lists. */
export function newestRows(lists: readonly Numbers[], isWanted: (rowId: number) => boolean, most: number): number[] {
  const rowIds = new Set(lists.flatMap((list) => [...list]));
  return [...rowIds]
    .filter(isWanted)
    .sort((one, other) => other - one)
    .slice(0, most);
}

/** Words of statements that are not of any subject, and not asked for: what holds those was found. */
export function tellingWords(
  statements: readonly Pick<Statement, 'content'>[],
  asked: ReadonlySet<string>,
  { reading, isStopWord, isCommon }: StatementReader,
): { word: string; term: string }[] {
  // Without spaces between words, the index has pairs of characters.
  const isUnspaced = reading?.language.search?.isUnspaced === true;
  const wordsOf = (content: string) =>
    isUnspaced ? wordsIn(content, reading).filter((word) => [...word].length > 1) : termsOf(content);
  const words = new Map<string, { word: string; term: string }>();
  for (const word of statements.flatMap(({ content }) => wordsOf(content))) {
    const [term = word] = termsOf(word);
    const root = rootOf(term);
    const tells = !isStopWord(word) && !isCommon(word) && !/^\d/.test(word) && !asked.has(root);
    if (tells && !words.has(root)) words.set(root, { word, term });
  }
  return [...words.values()].slice(0, MAX_WORDS);
}

function toStatement(row: ItemRows['memory']): Statement {
  const { id, content, createdAt, origin } = row;
  return {
    ...{ type: 'memory', id, content, atMs: lastSaid(row), speaker: null, origin },
    ...{ storedAtMs: createdAt, usedAtMs: undefined },
  };
}
