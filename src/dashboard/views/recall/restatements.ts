import type { SearchResult } from '../../../client/client.ts';

/** A result that a newer one updates, or that updates older ones. */
export interface Restatement {
  /** The newer result and its place, from 1. */
  newer?: { result: SearchResult; place: number; isSuggested: boolean };
  /** The places of the older results. */
  olderPlaces: number[];
}

/**
 * The results that say another value of the same thing than a newer one among them, and the newer ones, by id. An open
 * suggestion says so too, but nobody has decided it yet.
 */
export function restatementsOf(results: readonly SearchResult[]): Map<string, Restatement> {
  const found = new Map<string, Restatement>();
  for (const [index, { id, restatedBy, possiblySupersededBy }] of results.entries()) {
    const newerId = restatedBy ?? possiblySupersededBy;
    const at = results.findIndex((result) => result.id === newerId);
    if (newerId === undefined || at < 0) continue;
    const olderPlaces = found.get(id)?.olderPlaces ?? [];
    found.set(id, {
      newer: { result: results[at]!, place: at + 1, isSuggested: restatedBy === undefined },
      olderPlaces,
    });
    const newer = found.get(newerId) ?? { olderPlaces: [] };
    found.set(newerId, { ...newer, olderPlaces: [...newer.olderPlaces, index + 1] });
  }
  return found;
}
