import type { ItemType } from '../../contract/search.ts';
import { WEB_APP_CLIENT } from '../../contract/web-app-client.ts';
import type { Reader } from '../../db/connection.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { type ReadAnswer, readAnswer, usesInAnswer } from './answer-uses.ts';
import type { UserKey } from './learned-cache.ts';
import { findShownTexts } from './learning-store.ts';
import { itemTypeOf, learnedIdsOf, shownIdsOf } from './remembered-search.ts';
import { MAX_USES_PER_SEARCH } from './shown-results.ts';
import { listStoredSearches } from './stored-searches-store.ts';

/** What an assistant said after its searches. */
export interface SaidAnswer {
  client: string | null;
  /** What the person said before, as far as it came with the answer. */
  asked: string;
  answer: string;
}

/** How long an assistant may work on an answer. */
export const ANSWERED_MS = 3_600_000;
/** Searches that one answer is compared with: its own, and some of others that the same program asked meanwhile. */
const MAX_SEARCHES = 4;
const MAX_LISTED = 16;
const MAX_TEXTS = 20;
/** Longer answers are compared by their beginnings, and longer texts not at all: they share words with any answer. */
const MAX_ANSWER_CHARACTERS = 16_000;
const MAX_TEXT_CHARACTERS = 1000;

/** Finds which results of a client's last searches an answer used; one that several showed counts for the newest. */
export async function findAnsweredUses(
  reader: Reader,
  { tenantId, endUser }: UserKey,
  { client, asked, answer }: SaidAnswer,
  nowMs: number,
): Promise<{ searchId: string; used: string[] }[]> {
  const recent = await listStoredSearches(reader, {
    ...{ tenantId, user: endUser, beforeId: undefined, exceptClient: WEB_APP_CLIENT },
    ...{ sinceMs: nowMs - ANSWERED_MS, limit: MAX_LISTED },
  });
  const uses: { searchId: string; used: string[] }[] = [];
  const seen = new Set<string>();
  let read: ReadAnswer | undefined;
  for (const search of recent.filter((one) => one.client === client).slice(0, MAX_SEARCHES)) {
    const shownIds = shownIdsOf(search);
    const ids = shownIds.filter((id) => !seen.has(id)).slice(0, MAX_TEXTS);
    for (const id of ids) seen.add(id);
    const before = learnedIdsOf(search);
    const texts = await findShownTexts(reader, tenantId, idsByType(ids), MAX_TEXT_CHARACTERS);
    // In the order in which they were shown: of many uses the first ones count.
    const given = texts
      .map((one) => ({ ...one, marker: shownIds.indexOf(one.id) + 1 }))
      .sort((a, b) => a.marker - b.marker);
    if (given.length === 0) continue;
    read ??= await runInSlices(readAnswer(answer.slice(0, MAX_ANSWER_CHARACTERS)), tenantId);
    const question = `${search.query ?? ''}\n${asked.slice(0, MAX_ANSWER_CHARACTERS)}`;
    const used = (await runInSlices(usesInAnswer(read, question, given), tenantId))
      .filter((id) => !before.has(id))
      .slice(0, Math.max(0, MAX_USES_PER_SEARCH - before.size));
    if (used.length > 0) uses.push({ searchId: search.id, used });
  }
  return uses;
}

function idsByType(ids: readonly string[]): ReadonlyMap<ItemType, string[]> {
  const byType = new Map<ItemType, string[]>();
  for (const id of ids) byType.set(itemTypeOf(id), [...(byType.get(itemTypeOf(id)) ?? []), id]);
  return byType;
}
