import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';

/** Tracks which search recently showed a memory, so that reading or changing it counts as a use. */
export interface ShownResults {
  add(tenantId: string, searchId: string, ids: readonly string[]): void;
  /** Returns the newest search that recently showed the memory; once per search and memory. */
  take(tenantId: string, id: string): Promise<string | undefined>;
  /** Whether a search may have shown anything to the tenant within this time. */
  mayHaveShown(tenantId: string, withinMs: number): boolean;
  forget(tenantId: string): void;
}

interface Shown {
  searchId: string;
  ids: Set<string>;
  usesLeft: number;
  atMs: number;
}

const MAX_TENANTS = 2000;
export const MAX_SEARCHES_PER_TENANT = 8;
export const RECENT_MS = 600_000;
/** Further uses are ignored: reading every result says nothing about which one helped. */
export const MAX_USES_PER_SEARCH = 3;

/** Held in memory and bounded; losing entries only loses implicit feedback. */
export function createShownResults(clock: Clock): ShownResults {
  const byTenant = createBoundedMap<string, Shown[]>(MAX_TENANTS);
  /** When a search last showed anything. */
  const lastMs = createBoundedMap<string, number>(MAX_TENANTS);
  return {
    add(tenantId, searchId, ids) {
      if (ids.length === 0) return;
      lastMs.set(tenantId, clock.monotonicMs());
      const memories = new Set(ids.filter((id) => id.startsWith('mem_')));
      if (memories.size === 0) return;
      const shown = { searchId, ids: memories, usesLeft: MAX_USES_PER_SEARCH, atMs: clock.monotonicMs() };
      const before = byTenant.get(tenantId) ?? [];
      byTenant.set(tenantId, [shown, ...before].slice(0, MAX_SEARCHES_PER_TENANT));
    },
    async take(tenantId, id) {
      const sinceMs = clock.monotonicMs() - RECENT_MS;
      const shown = byTenant
        .get(tenantId)
        ?.find(({ ids, usesLeft, atMs }) => atMs >= sinceMs && usesLeft > 0 && ids.has(id));
      if (!shown) return undefined;
      shown.ids.delete(id);
      shown.usesLeft -= 1;
      return shown.searchId;
    },
    mayHaveShown(tenantId, withinMs) {
      const shownMs = lastMs.get(tenantId);
      return shownMs !== undefined && clock.monotonicMs() - shownMs <= withinMs;
    },
    forget(tenantId) {
      byTenant.delete(tenantId);
      lastMs.delete(tenantId);
    },
  };
}
