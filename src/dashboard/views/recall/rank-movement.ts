import type { SearchResult } from '../../../client/client.ts';

/** A place in the default order, with the result of this search that has it there. */
export interface DefaultPlace {
  rank: number;
  /** Undefined where it is not known which result has the place. */
  result: SearchResult | undefined;
  /** Whether this search shows the result too. */
  isShown: boolean;
}

/** Places by which a result is higher (positive) or lower (negative) than in the default order. */
export function movementOf({ why }: SearchResult): number {
  return why === undefined || why.defaultRank < 1 ? 0 : why.defaultRank - why.rank;
}

/** The first places of the default order, as many as there are results; `others` are of a search by the default weights. */
export function defaultPlaces(results: readonly SearchResult[], others: readonly SearchResult[] = []): DefaultPlace[] {
  const byRank = new Map([...others, ...results].map((result) => [result.why?.defaultRank, result]));
  const shown = new Set(results.map(({ id }) => id));
  return results.map((_, index) => {
    const result = byRank.get(index + 1);
    return { rank: index + 1, result, isShown: result !== undefined && shown.has(result.id) };
  });
}

/** A line between the two orders. `toY` is absent for a result that the default order has further down. */
export interface RankLine {
  id: string;
  fromY: number;
  toY: number | undefined;
  defaultRank: number;
  movement: number;
}

/** Lines from each result to its default place; `heights` are the middles of the rows, in pixels. */
export function rankLines(results: readonly SearchResult[], heights: readonly number[]): RankLine[] {
  return results.flatMap((result, index) => {
    const fromY = heights[index];
    if (fromY === undefined || result.why === undefined) return [];
    const { defaultRank } = result.why;
    return [{ id: result.id, fromY, toY: heights[defaultRank - 1], defaultRank, movement: movementOf(result) }];
  });
}
