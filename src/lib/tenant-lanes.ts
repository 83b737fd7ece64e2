/** Runs the work of each tenant (by its id) one after the other, and that of several tenants at once. */
export interface TenantLanes {
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
}

export function createTenantLanes(): TenantLanes {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(tenantId, work) {
      const own = (last.get(tenantId) ?? Promise.resolve()).then(work, work);
      last.set(tenantId, own);
      try {
        return await own;
      } finally {
        if (last.get(tenantId) === own) last.delete(tenantId);
      }
    },
  };
}
