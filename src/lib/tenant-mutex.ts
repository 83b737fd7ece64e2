/** One mutex per tenant id: runs the work of a tenant in order, and that of different tenants concurrently. */
export interface TenantMutex {
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
}

export function createTenantMutex(): TenantMutex {
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
