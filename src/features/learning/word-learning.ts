import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { rootOf } from '../text/word-forms.ts';
import type { UserKey } from './learned-cache.ts';
import { learnWords, matchWords, type WordLesson, type WordMatch } from './learned-words.ts';
import {
  deleteExcessWords,
  deleteWords,
  findWordItems,
  findWordsByRoot,
  findWordsOfItems,
  upsertWords,
  type WordItem,
} from './learned-words-store.ts';
import { itemTypeOf } from './remembered-search.ts';

/** The words of a question that lead to items, by type and row. */
export type LearnedMatches = ReadonlyMap<ItemType, ReadonlyMap<number, readonly WordMatch[]>>;

export const NO_LEARNED_MATCHES: LearnedMatches = new Map();

/** Results of each kind that one question teaches about: whoever names more says little about each. */
const MAX_TAUGHT = 20;
/** A memory's successors are followed this far. */
const MAX_SUCCESSORS = 3;

/** Learns the words of a question from what was used for it, in the caller's transaction. Items erased meanwhile are ignored. */
export async function teachWords(
  connection: Connection,
  user: UserKey,
  lesson: WordLesson,
  nowMs: number,
): Promise<void> {
  const named = lesson.used.slice(0, MAX_TAUGHT);
  const passedOver = lesson.passedOver.slice(0, MAX_TAUGHT);
  const rejected = lesson.irrelevant.slice(0, MAX_TAUGHT);
  const irrelevant = [...rejected, ...(await findPredecessors(connection, user, lesson.words, rejected))];
  const items = await findItems(connection, user.tenantId, named);
  const used = named.filter((id) => items.has(id));
  const known = await findWordsOfItems(connection, user, [...used, ...passedOver, ...irrelevant]);
  const { stored, forgotten } = learnWords(known, { ...lesson, used, passedOver, irrelevant }, nowMs);
  await upsertWords(connection, user, stored);
  await deleteWords(connection, user, forgotten);
  if (used.length > 0) await deleteExcessWords(connection, user);
}

/** Finds the ids under which words of a question lead to these items because they replaced a memory. */
async function findPredecessors(
  connection: Connection,
  user: UserKey,
  words: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const known = await findWordsByRoot(connection, user, [...new Set(words.map(rootOf))]);
  const others = [...new Set(known.map(({ itemId }) => itemId))].filter((id) => !ids.includes(id));
  const items = await findItems(connection, user.tenantId, others);
  return others.filter((id) => ids.includes(items.get(id)?.id ?? ''));
}

/** Finds the items of the user that terms of a question lead to; what replaced a memory stands in its place. */
export async function findLearnedMatches(
  reader: Reader,
  user: UserKey & { scope: number },
  terms: readonly string[],
  nowMs: number,
): Promise<LearnedMatches> {
  const roots = [...new Set(terms.map(rootOf))];
  const matches = matchWords(await findWordsByRoot(reader, user, roots), nowMs);
  const items = await findItems(
    reader,
    user.tenantId,
    matches.map(({ itemId }) => itemId),
  );
  const byType = new Map<ItemType, Map<number, WordMatch[]>>();
  for (const match of matches) {
    const item = items.get(match.itemId);
    // Words of an import may name an item of another user.
    if (item?.scope !== user.scope) continue;
    const type = itemTypeOf(match.itemId);
    const byRow = byType.get(type) ?? new Map<number, WordMatch[]>();
    byType.set(type, byRow.set(item.number, [...(byRow.get(item.number) ?? []), match]));
  }
  return byType;
}

/** Finds items by id; of a superseded memory its successor. */
export async function findItems(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WordItem>> {
  const found = new Map<string, WordItem>();
  for (const type of ITEM_TYPES) {
    const own = [...new Set(ids.filter((id) => itemTypeOf(id) === type))];
    for (const item of await findWordItems(reader, tenantId, type, own)) found.set(item.id, item);
  }
  for (let step = 0; step < MAX_SUCCESSORS; step += 1) {
    const superseded = [...found].flatMap(([id, { supersededBy }]) =>
      supersededBy === null ? [] : { id, supersededBy },
    );
    const successors = await findWordItems(
      reader,
      tenantId,
      'memory',
      superseded.map(({ supersededBy }) => supersededBy),
    );
    if (successors.length === 0) break;
    const byId = new Map(successors.map((item) => [item.id, item]));
    for (const { id, supersededBy } of superseded) {
      const successor = byId.get(supersededBy);
      if (successor !== undefined) found.set(id, successor);
    }
  }
  return found;
}
