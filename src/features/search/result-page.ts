import type { ItemRows } from './candidate.ts';
import type { ParsedQuery } from './parsed-query.ts';
import { MAX_STATEMENT_CHARACTERS, newestFirst, type Statement } from './restatements.ts';
import type { LoadedHit, RatedHit } from './search-results.ts';

interface Page {
  minRelevance: number;
  limit: number;
  /** Whether newer statements go first: not for queries about the past, nor if the user's feedback favors older ones. */
  putsNewestFirst: boolean;
}

/** The number of results that are compared to find newer statements. */
const MAX_COMPARED = 20;

/** The hits whose rows a page may need: the relevant ones, and the first, which newer ones may restate. */
export function hitsToLoad(
  ranked: readonly RatedHit[],
  { minRelevance, limit }: Omit<Page, 'putsNewestFirst'>,
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
  { minRelevance, limit, putsNewestFirst }: Page,
): LoadedHit[] {
  const hits = loaded.map((hit) => ({ ...hit }));
  const compared = putsNewestFirst ? hits.splice(0, MAX_COMPARED) : [];
  const ordered = newestFirst(compared, toStatement, query.terms, (newer, older) => {
    newer.relevance = Math.max(newer.relevance, older.relevance);
    older.restatedBy ??= newer.item.facts.id;
  });
  return [...ordered, ...hits].filter(({ relevance }) => relevance >= minRelevance).slice(0, limit);
}

/** Most results are too long, or hold no word of the query: their rows need not be read. */
function mayBeStatement({ item: { type, facts, coverage } }: RatedHit): boolean {
  return coverage.own > 0 && facts.length <= MAX_STATEMENT_CHARACTERS[type];
}

function toStatement({ item: { type, facts }, row }: LoadedHit): Statement {
  const content = type === 'episode' ? '' : (row as ItemRows['memory' | 'message']).content;
  const speaker = type === 'message' ? `${facts.role} ${facts.speaker ?? ''}` : null;
  const origin = type === 'memory' ? (row as ItemRows['memory']).origin : null;
  return { type, id: facts.id, content, atMs: facts.at, speaker, origin };
}
