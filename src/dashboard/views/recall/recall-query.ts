import type { ContextRequest, ItemType, SearchRequest, Strategy } from '../../../client/client.ts';
import type { EarlierSearch } from '../../earlier-searches.ts';

export const TYPES = ['memory', 'message', 'episode'] as const satisfies readonly ItemType[];
export const STRATEGIES = ['auto', 'default', 'lexical', 'semantic', 'recent'] as const satisfies readonly Strategy[];
export const LIMITS = [5, 10, 20, 50] as const;
export const DEFAULT_LIMIT = 10;
export const DEFAULT_TOKENS = 1000;
export const MAX_TOKENS = 4000;
export const MIN_TOKENS = 50;

/** The form's query, as stored in the address. */
export interface RecallQuery {
  query: string;
  types: readonly ItemType[];
  strategy: Strategy;
  limit: number;
  minRelevance: number;
  /** A day, `YYYY-MM-DD`, at whose end the answer was valid, or an instant. */
  asOf: string | undefined;
  project: string | undefined;
  /** The id of a topic that every result is about. */
  topic: string | undefined;
  maxTokens: number;
}

/** Reads the parameters of the address; what is out of range gets its default. */
export function readRecallQuery(parameters: URLSearchParams): RecallQuery {
  const types = TYPES.filter((type) => parameters.getAll('types').includes(type));
  const minRelevance = Number(parameters.get('minRelevance'));
  return {
    query: (parameters.get('q') ?? '').trim(),
    types: types.length === 0 ? TYPES : types,
    strategy: STRATEGIES.find((name) => name === parameters.get('strategy')) ?? 'auto',
    limit: integerWithin(parameters.get('limit'), [1, 100]) ?? DEFAULT_LIMIT,
    minRelevance: minRelevance > 0 && minRelevance <= 1 ? minRelevance : 0,
    asOf: parameters.get('asOf') || undefined,
    project: parameters.get('project') || undefined,
    topic: parameters.get('topic') || undefined,
    maxTokens: integerWithin(parameters.get('tokens'), [16, 100_000]) ?? DEFAULT_TOKENS,
  };
}

function integerWithin(text: string | null, [least, most]: readonly [number, number]): number | undefined {
  const value = Number(text);
  return text !== null && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** The search of one user, with how each result was scored and how long each stage took. */
export function toSearchRequest(asked: RecallQuery, user: string | undefined): SearchRequest {
  const { query, strategy, limit, asOf, topic } = asked;
  return {
    ...commonOf(asked, user),
    query,
    limit,
    explain: true,
    ...(topic !== undefined && { filter: { topic } }),
    ...(strategy !== 'auto' && { strategy }),
    ...(asOf !== undefined && { asOf: /^\d{4}-\d\d-\d\d$/.test(asOf) ? `${asOf}T23:59:59.999Z` : asOf }),
  };
}

/** Whether a search is by what a context goes by, so that its answer can have the block of text too. */
export function includesContext({ strategy, asOf, topic }: RecallQuery): boolean {
  return strategy === 'auto' && asOf === undefined && topic === undefined;
}

/** The same as a block of text for a prompt, for which there is neither a strategy nor a past nor a topic. */
export function toContextRequest(asked: RecallQuery, user: string | undefined): ContextRequest {
  return { ...commonOf(asked, user), query: asked.query, maxTokens: asked.maxTokens };
}

/** Whether the query leaves all options of the form at their defaults. */
export function isPlain(asked: RecallQuery): boolean {
  return (
    JSON.stringify({ ...asked, topic: undefined }) ===
    JSON.stringify(readRecallQuery(new URLSearchParams({ q: asked.query })))
  );
}

function commonOf({ types, minRelevance, project }: RecallQuery, user: string | undefined) {
  return {
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    ...(types.length < TYPES.length && { types: [...types] }),
    ...(minRelevance > 0 && { minRelevance }),
  };
}

/** The query of an earlier search, to fill in the form and to search again. */
export function askedBy(search: EarlierSearch, asked: RecallQuery): RecallQuery {
  const types = TYPES.filter((type) => search.types.includes(type));
  return {
    ...asked,
    query: search.query,
    types: types.length === 0 ? TYPES : types,
    limit: Math.max(DEFAULT_LIMIT, search.results.length),
    project: search.project ?? undefined,
  };
}
