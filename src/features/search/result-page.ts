import { lastSaid } from '../../contract/memories.ts';
import type { LearnedMatches } from '../learning/learning.ts';
import type { ItemRows } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { isOne, MAX_STATEMENT_CHARACTERS, newestFirst, ownFirst, type Statement } from './restatements.ts';
import { type LoadedHit, learnedMatchesOf, type RatedHit } from './search-results.ts';
import { statementReader } from './statement-words.ts';

/** What suggestions put in the place of some memories. */
export interface Successors {
  /** By the id of a memory, the newer one of an open suggestion. */
  newerOf: ReadonlyMap<string, string>;
  /** Whether somebody rejected that the newer takes the place of the older, by their ids. */
  isRejected(olderId: string, newerId: string): boolean;
}

interface Page extends Pick<Successors, 'isRejected'> {
  minRelevance: number;
  limit: number;
  /** Whether newer statements go first: not for queries about the past. */
  putsNewestFirst: boolean;
  /** What the user's words lead to. */
  learned: LearnedMatches | undefined;
  /** Roots of the query's words, and of words related to them. */
  asked: ReadonlySet<string>;
  /** Memories by id, each with the newer one that an open suggestion puts in its place. */
  successors: ReadonlyMap<string, string>;
  /** Memories by id, each with the newer one that takes its place though the query did not find it. */
  followers: ReadonlyMap<string, string>;
}

/** The number of results that are compared to find newer statements. */
const MAX_COMPARED = 20;

/** The hits whose rows a page may need: the relevant ones, and the first, which newer ones may restate. */
export function hitsToLoad(
  ranked: readonly RatedHit[],
  { minRelevance, limit }: Pick<Page, 'minRelevance' | 'limit'>,
): RatedHit[] {
  const relevant = ranked.filter(({ relevance }) => relevance >= minRelevance).slice(0, limit);
  // A page without relevant hits has nothing to restate.
  if (relevant.length === 0) return [];
  const needed = new Set([...ranked.slice(0, MAX_COMPARED).filter(mayBeStatement), ...relevant]);
  return ranked.filter((hit) => needed.has(hit));
}

/** Cuts a page from the hits. A newer statement ranks before the one it updates, and is at least as relevant. */
export function pageOf(
  loaded: readonly LoadedHit[],
  query: ParsedQuery,
  { minRelevance, limit, putsNewestFirst, learned, asked, successors, followers, isRejected }: Page,
): LoadedHit[] {
  const hits = loaded.map((hit) => ({ ...hit }));
  const compared = putsNewestFirst ? hits.splice(0, MAX_COMPARED) : [];
  const reader = statementReader(query.reading);
  const ordered = newestFirst(
    compared,
    (hit) => toStatement(hit, learned),
    reader.askedOf(asked),
    (newer, older) => {
      newer.relevance = Math.max(newer.relevance, older.relevance);
      older.restatedBy ??= newer.item.facts.id;
    },
    { reader, isRejected },
  );
  const asksForSpeaker = query.voice === 'user' || query.reading?.language.statements.dropsPronouns === true;
  const own = asksForSpeaker
    ? ownFirst(ordered, (hit) => statementIn(hit, learned), reader.askedOf(asked), reader)
    : ordered;
  const all = [...own, ...hits];
  if (putsNewestFirst) {
    putNewerFirst(all, followers, 'restatedBy');
    putNewerFirst(all, successors, 'possiblySupersededBy');
  }
  return all.filter(({ relevance }) => relevance >= minRelevance).slice(0, limit);
}

/** The text of a hit that is one statement; empty for others. */
function statementIn(hit: LoadedHit, learned: LearnedMatches | undefined): string {
  const statement = toStatement(hit, learned);
  return isOne(statement) ? statement.content : '';
}

/** Marks memories by the newer one of each, and moves that one in front of them. */
function putNewerFirst(
  hits: LoadedHit[],
  newerOf: ReadonlyMap<string, string>,
  mark: 'restatedBy' | 'possiblySupersededBy',
): void {
  if (newerOf.size === 0) return;
  for (const older of [...hits]) {
    const newerId = newerOf.get(older.item.facts.id);
    if (newerId === undefined) continue;
    older[mark] ??= newerId;
    const at = hits.findIndex(({ item }) => item.facts.id === newerId);
    const before = hits.indexOf(older);
    if (at < before) continue;
    const [newer] = hits.splice(at, 1);
    newer!.relevance = Math.max(newer!.relevance, older.relevance);
    hits.splice(before, 0, newer!);
  }
}

/** Most results are too long, or hold no word of the query and none related to one: their rows need not be read. */
function mayBeStatement({ item: { type, facts, coverage } }: RatedHit): boolean {
  return coverage.own > 0 && facts.length <= MAX_STATEMENT_CHARACTERS[type];
}

/** Reads a hit as a statement that newer ones may replace. */
export function toStatement(hit: LoadedHit, learned: LearnedMatches | undefined): Statement {
  const { type, facts } = hit.item;
  const { row } = hit;
  const content = type === 'episode' ? '' : (row as ItemRows['memory' | 'message']).content;
  const speaker = type === 'message' ? `${facts.role} ${facts.speaker ?? ''}` : null;
  const origin = type === 'memory' ? (row as ItemRows['memory']).origin : null;
  const uses = learnedMatchesOf(hit, learned).map(({ updatedAt }) => updatedAt);
  return {
    ...{ type, id: facts.id, content, speaker, origin },
    atMs: type === 'memory' ? lastSaid(row as ItemRows['memory']) : facts.at,
    storedAtMs: row.createdAt,
    usedAtMs: uses.length === 0 ? undefined : Math.max(...uses),
  };
}
