/** Queries that a grant allows at most, before the database is asked again. */
const GRANT = 200;
/** Near its quota a tenant has no grants: every query is counted exactly. */
const SPARE = 100;
const MAX_TENANTS = 10_000;

/**
 * How many queries each tenant may make before its quota is read again. A search of a tenant far from its quota is counted
 * in memory, because counting it in a separate transaction would make every search wait for the writes of others.
 */
export interface QueryGrants {
  /** Uses one query of the tenant's grant; `false` if it has none left or `terms` have changed. */
  take(tenantId: string, terms: string): boolean;
  /** Grants queries to a tenant whose quota has `left` queries, for as long as its day and tier (`terms`) last. */
  renew(tenantId: string, terms: string, left: number): void;
}

export function createQueryGrants(): QueryGrants {
  const grants = new Map<string, { terms: string; left: number }>();
  return {
    take(tenantId, terms) {
      const grant = grants.get(tenantId);
      if (grant?.terms !== terms || grant.left <= 0) return false;
      grant.left -= 1;
      return true;
    },
    renew(tenantId, terms, left) {
      grants.delete(tenantId);
      if (grants.size >= MAX_TENANTS) grants.delete(grants.keys().next().value!);
      if (left > SPARE) grants.set(tenantId, { terms, left: Math.min(GRANT, left - SPARE) });
    },
  };
}
