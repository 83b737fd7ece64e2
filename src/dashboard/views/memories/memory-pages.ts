import type { Client, Memory, MemoryUse, SearchAnswer } from '../../../client/client.ts';
import { parseTimestamp, systemClock, toTimestamp } from '../../../lib/clock.ts';
import { filterOf, isWindowed, type ListState, orderOf, passes, timeBounds } from './list-state.ts';

/** A memory in the list; `found` says why a search found it. */
export interface ListedMemory extends Memory {
  found?: FoundBy;
  /** How many searches showed it, and how many it was used in; absent if no search showed it, and for results of a search. */
  use?: MemoryUse | undefined;
}

/** Why and how well a search found a memory. */
export interface FoundBy {
  relevance: number;
  why: SearchAnswer['results'][number]['why'];
  /** False for matches that are much weaker than the best one. */
  isLikely: boolean;
}

interface MemoryPage {
  data: ListedMemory[];
  nextCursor: string | null;
  total?: number;
}

const PAGE_SIZE = 100;
const MAX_FOUND = 100;
/** A search is of one end user. Without a chosen one, these many who were seen last are searched. */
const MAX_SEARCHED_USERS = 5;
/** Pages without a single row to show that are skipped at once. */
const MAX_SKIPPED_PAGES = 20;
/** A match this much weaker than the best one is unlikely to be meant. */
const UNLIKELY_SHARE = 0.1;

/** Loads a page of the list with the use of each memory, or the results of a search, which have one page. */
export async function loadMemories(
  client: Client,
  state: ListState,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<MemoryPage> {
  if (state.query !== '') return searchPage(client, state, signal);
  const page = await listPage(client, state, cursor, signal);
  if (page.data.length === 0) return page;
  const { data } = await client.memories.uses({ id: page.data.map(({ id }) => id) }, { signal });
  const uses = new Map(data.map(({ id, ...use }) => [id, use]));
  return { ...page, data: page.data.map((row) => ({ ...row, use: uses.get(row.id) })) };
}

async function listPage(
  client: Client,
  state: ListState,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<MemoryPage> {
  let next = cursor;
  for (let skipped = 0; ; skipped += 1) {
    const query = {
      ...filterOf(state),
      ...orderOf(state),
      limit: PAGE_SIZE,
      ...(next !== undefined && { cursor: next }),
      ...(next === undefined && !isWindowed(state) && { total: true }),
    };
    const page: MemoryPage = await client.memories.list(query, { signal });
    if (!isWindowed(state)) return page;
    const { rows, isLast } = windowOf(state, page.data);
    const nextCursor = isLast ? null : page.nextCursor;
    if (rows.length > 0 || nextCursor === null || skipped === MAX_SKIPPED_PAGES) return { data: rows, nextCursor };
    next = nextCursor;
  }
}

/**
 * Keeps the rows of a page that were known at a time, or that changed within the time bounds. `isLast` says that no later
 * page can have any.
 */
export function windowOf(state: ListState, rows: readonly Memory[]): { rows: Memory[]; isLast: boolean } {
  const { asOfMs, afterMs = Number.NEGATIVE_INFINITY, beforeMs = Number.POSITIVE_INFINITY } = state;
  if (asOfMs !== undefined) {
    return {
      rows: rows.filter(({ createdAt, validTo }) => {
        const endedMs = validTo === null ? Number.POSITIVE_INFINITY : timeOf(validTo);
        return timeOf(createdAt) <= asOfMs && endedMs > asOfMs;
      }),
      isLast: rows.some(({ createdAt }) => timeOf(createdAt) > asOfMs),
    };
  }
  const isBeyond = state.order === 'desc' ? (at: number) => at <= afterMs : (at: number) => at >= beforeMs;
  return {
    rows: rows.filter(({ updatedAt }) => timeOf(updatedAt) > afterMs && timeOf(updatedAt) < beforeMs),
    isLast: rows.some(({ updatedAt }) => isBeyond(timeOf(updatedAt))),
  };
}

async function searchPage(client: Client, state: ListState, signal: AbortSignal): Promise<MemoryPage> {
  const users = state.user === undefined ? await latestUsers(client, signal) : [state.user];
  const { query, project, tags, asOfMs, show } = state;
  const filter = { ...(tags.length > 0 && { tags: [...tags] }), ...timeBounds(state) };
  const answers = await Promise.all(
    users.map((user) =>
      client.search(
        {
          query,
          user,
          types: ['memory'],
          limit: MAX_FOUND,
          explain: true,
          filter,
          ...(project !== undefined && { project, projectOnly: true }),
          ...(asOfMs !== undefined && { asOf: toTimestamp(asOfMs) }),
          ...(show === 'all' && { includeSuperseded: true }),
        },
        { signal },
      ),
    ),
  );
  const data = rankedTogether(answers).filter((memory) => passes(state, memory, systemClock.nowMs()));
  return { data, nextCursor: null, total: data.length };
}

async function latestUsers(client: Client, signal: AbortSignal): Promise<string[]> {
  const { data } = await client.users.list({ limit: MAX_SEARCHED_USERS }, { signal });
  return data.map(({ user }) => user);
}

/** Puts the results of searches of several users into one order, by what is comparable between searches. */
export function rankedTogether(answers: readonly Pick<SearchAnswer, 'results'>[]): ListedMemory[] {
  const all = answers.flatMap(({ results }) => results).filter((result) => result.type === 'memory');
  if (answers.length > 1) all.sort((one, other) => other.relevance - one.relevance || other.score - one.score);
  const best = Math.max(0, ...all.map(({ relevance }) => relevance));
  return all.map(({ why, relevance, type, score, restatedBy, ...memory }) => ({
    ...memory,
    found: { relevance, why, isLikely: relevance >= best * UNLIKELY_SHARE },
  }));
}

function timeOf(timestamp: string): number {
  return parseTimestamp(timestamp) ?? 0;
}
