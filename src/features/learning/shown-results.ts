import type { Clock } from '../../lib/clock.ts';

/** Which memories were lately shown to a tenant, by which search: reading or changing one tells that it was of use. */
export interface ShownResults {
  add(tenantId: string, searchId: string, ids: readonly string[]): void;
  /** The newest search that showed the memory lately; each search and memory once. */
  take(tenantId: string, id: string): string | undefined;
  forget(tenantId: string): void;
}

interface Shown {
  searchId: string;
  ids: Set<string>;
  left: number;
  atMs: number;
}

const MAX_TENANTS = 2000;
const SEARCHES_A_TENANT = 8;
const LATELY_MS = 600_000;
/** Who reads more of what one search showed reads all there is, which tells nothing. */
const USES_A_SEARCH = 3;

/** In memory only, and bounded: what is forgotten is a hint less. */
export function createShownResults(clock: Clock): ShownResults {
  const byTenant = new Map<string, Shown[]>();
  return {
    add(tenantId, searchId, ids) {
      const memories = new Set(ids.filter((id) => id.startsWith('mem_')));
      if (memories.size === 0) return;
      const shown = { searchId, ids: memories, left: USES_A_SEARCH, atMs: clock.monotonicMs() };
      const before = byTenant.get(tenantId) ?? [];
      byTenant.delete(tenantId);
      byTenant.set(tenantId, [shown, ...before].slice(0, SEARCHES_A_TENANT));
      if (byTenant.size > MAX_TENANTS) byTenant.delete(byTenant.keys().next().value!);
    },
    take(tenantId, id) {
      const sinceMs = clock.monotonicMs() - LATELY_MS;
      const shown = byTenant.get(tenantId)?.find(({ ids, left, atMs }) => atMs >= sinceMs && left > 0 && ids.has(id));
      if (!shown) return undefined;
      shown.ids.delete(id);
      shown.left -= 1;
      return shown.searchId;
    },
    forget: (tenantId) => void byTenant.delete(tenantId),
  };
}
