import type { Clock } from '../../lib/clock.ts';

/** Tracks which search recently showed a memory, so that reading or changing it counts as a use. */
export interface ShownResults {
  add(tenantId: string, searchId: string, ids: readonly string[]): void;
  /** Returns the newest search that recently showed the memory; once per search and memory. */
  take(tenantId: string, id: string): Promise<string | undefined>;
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
  const byTenant = new Map<string, Shown[]>();
  return {
    add(tenantId, searchId, ids) {
      const memories = new Set(ids.filter((id) => id.startsWith('mem_')));
      if (memories.size === 0) return;
      const shown = { searchId, ids: memories, usesLeft: MAX_USES_PER_SEARCH, atMs: clock.monotonicMs() };
      const before = byTenant.get(tenantId) ?? [];
      byTenant.delete(tenantId);
      byTenant.set(tenantId, [shown, ...before].slice(0, MAX_SEARCHES_PER_TENANT));
      if (byTenant.size > MAX_TENANTS) byTenant.delete(byTenant.keys().next().value!);
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
    forget: (tenantId) => void byTenant.delete(tenantId),
  };
}
