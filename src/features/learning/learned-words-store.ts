import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { columnNames, insertRows, padToPowerOfTwo, placeholders, valuesOf } from '../../db/values.ts';
import type { UserKey } from './learned-cache.ts';
import type { LearnedWord } from './learned-words.ts';

type LearnedWordRow = LearnedWord & UserKey;

const COLUMNS = columnNames<LearnedWordRow>({
  ...{ tenantId: true, endUser: true, root: true, itemId: true, word: true, strength: true, uses: true },
  ...{ observedUses: true, updatedAt: true },
});
const WORD = 'root, itemId, word, strength, uses, observedUses, updatedAt';
/** Words of one user; those used least recently are forgotten first. */
export const MAX_WORDS = 5000;
/** Words that lead from one question. */
const MAX_FOUND = 500;

/** Finds where words of a question lead, by their roots. */
export async function findWordsByRoot(
  reader: Reader,
  { tenantId, endUser }: UserKey,
  roots: readonly string[],
): Promise<LearnedWord[]> {
  if (roots.length === 0) return [];
  const padded = padToPowerOfTwo(roots);
  return reader.all<LearnedWord>(
    `SELECT ${WORD} FROM learnedWords WHERE (tenantId, endUser, root) IN (VALUES ${placeholders(padded.length, 3)})
     ORDER BY updatedAt DESC, root, itemId LIMIT ?`,
    [...padded.flatMap((root) => [tenantId, endUser, root]), MAX_FOUND],
  );
}

/** Finds all words of some items. */
export async function findWordsOfItems(
  reader: Reader,
  { tenantId, endUser }: UserKey,
  itemIds: readonly string[],
): Promise<LearnedWord[]> {
  if (itemIds.length === 0) return [];
  const padded = padToPowerOfTwo(itemIds);
  return reader.all<LearnedWord>(
    `SELECT ${WORD} FROM learnedWords
     WHERE (tenantId, itemId) IN (VALUES ${placeholders(padded.length, 2)}) AND endUser = ?`,
    [...padded.flatMap((itemId) => [tenantId, itemId]), endUser],
  );
}

/** Stores words of a user, in the place of those that are there. */
export async function upsertWords(
  connection: Connection,
  { tenantId, endUser }: UserKey,
  words: readonly LearnedWord[],
): Promise<void> {
  await insertRows(
    connection,
    `INSERT INTO learnedWords (${COLUMNS.join(', ')})`,
    words.map((word) => valuesOf({ ...word, tenantId, endUser }, COLUMNS)),
    `ON CONFLICT (tenantId, endUser, root, itemId) DO UPDATE SET word = excluded.word, strength = excluded.strength,
       uses = excluded.uses, observedUses = excluded.observedUses, updatedAt = excluded.updatedAt`,
  );
}

export async function deleteWords(
  connection: Connection,
  { tenantId, endUser }: UserKey,
  words: readonly Pick<LearnedWord, 'root' | 'itemId'>[],
): Promise<void> {
  if (words.length === 0) return;
  const padded = padToPowerOfTwo(words);
  await connection.run(
    `DELETE FROM learnedWords WHERE (tenantId, endUser, root, itemId) IN (VALUES ${placeholders(padded.length, 4)})`,
    padded.flatMap(({ root, itemId }) => [tenantId, endUser, root, itemId]),
  );
}

/** Deletes the words that were used least recently, where a user has too many. */
export async function deleteExcessWords(
  connection: Connection,
  { tenantId, endUser }: UserKey,
  kept = MAX_WORDS,
): Promise<void> {
  await connection.run(
    `DELETE FROM learnedWords WHERE tenantId = ? AND endUser = ? AND (root, itemId) IN
       (SELECT root, itemId FROM learnedWords WHERE tenantId = ? AND endUser = ?
        ORDER BY updatedAt DESC, root, itemId LIMIT ? OFFSET ?)`,
    [tenantId, endUser, tenantId, endUser, MAX_WORDS, kept],
  );
}

/** Which of a user's words to delete; all where neither is given. */
export interface WordSelection {
  root?: string | undefined;
  itemId?: string | undefined;
}

export async function deleteSelectedWords(
  connection: Connection,
  { tenantId, endUser }: UserKey,
  { root, itemId }: WordSelection,
): Promise<void> {
  await connection.run(
    `DELETE FROM learnedWords WHERE tenantId = ? AND endUser = ? ${root === undefined ? '' : 'AND root = ?'}
     ${itemId === undefined ? '' : 'AND itemId = ?'}`,
    [tenantId, endUser, ...[root, itemId].filter((value) => value !== undefined)],
  );
}

export async function deleteSomeWordsOf(connection: Connection, owner: Owner, limit: number): Promise<number> {
  const own = erasedCondition(owner);
  const { changes } = await connection.run(
    `DELETE FROM learnedWords WHERE tenantId = ? AND (endUser, root, itemId) IN
       (SELECT endUser, root, itemId FROM learnedWords WHERE ${own.sql} LIMIT ?)`,
    [owner.tenantId, ...own.values, limit],
  );
  return changes;
}

/** Where a list of words goes on: after this word of this time. */
export type WordPosition = Pick<LearnedWord, 'updatedAt' | 'root' | 'itemId'>;

/** Lists a user's words, the last used first; of one item if given. */
export async function listWords(
  reader: Reader,
  { tenantId, endUser }: UserKey,
  { itemId, after, limit }: { itemId: string | undefined; after: WordPosition | undefined; limit: number },
): Promise<LearnedWord[]> {
  return reader.all<LearnedWord>(
    `SELECT ${WORD} FROM learnedWords WHERE tenantId = ? AND endUser = ? ${itemId === undefined ? '' : 'AND itemId = ?'}
     ${after === undefined ? '' : 'AND (updatedAt < ? OR (updatedAt = ? AND (root, itemId) > (?, ?)))'}
     ORDER BY updatedAt DESC, root, itemId LIMIT ?`,
    [
      ...[tenantId, endUser, ...(itemId === undefined ? [] : [itemId])],
      ...(after === undefined ? [] : [after.updatedAt, after.updatedAt, after.root, after.itemId]),
      limit,
    ],
  );
}

/** An item that words lead to: its row and user, and for a memory whose validity ended the one in its place. */
export interface WordItem {
  id: string;
  number: number;
  scope: number;
  supersededBy: string | null;
  /** The beginning of its text. */
  text: string;
}

const ITEMS: Readonly<Record<ItemType, string>> = {
  memory: `number, scope, CASE WHEN validTo IS NULL THEN NULL ELSE supersededBy END AS supersededBy, SUBSTR(content, 1, 200) AS text
    FROM memories WHERE current = 1`,
  message: 'number, scope, NULL AS supersededBy, SUBSTR(content, 1, 200) AS text FROM messages WHERE 1 = 1',
  episode: 'number, scope, NULL AS supersededBy, SUBSTR(title, 1, 200) AS text FROM episodes WHERE 1 = 1',
};

/** Finds items of one type by id. */
export async function findWordItems(
  reader: Reader,
  tenantId: string,
  type: ItemType,
  ids: readonly string[],
): Promise<WordItem[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  return reader.all<WordItem>(
    `SELECT id, ${ITEMS[type]} AND (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((id) => [tenantId, id]),
  );
}
