/** A queue that serves its tenants in turn; the items of one tenant stay in order. */
export interface FairQueue<T> {
  push(tenantId: string, item: T): void;
  /** Puts an item before the others of its tenant. */
  unshift(tenantId: string, item: T): void;
  /** Takes the next item of the next tenant that `mayTake` accepts; that tenant then goes to the end of the line. */
  take(mayTake?: (tenantId: string, item: T) => boolean): { tenantId: string; item: T } | undefined;
  size(): number;
  sizeOf(tenantId: string): number;
  /** Removes and returns all items, or those of a tenant. */
  clear(tenantId?: string): T[];
}

export function createFairQueue<T>(): FairQueue<T> {
  /** Never holds an empty list. Tenants are served in the order of the map. */
  const lines = new Map<string, T[]>();
  let size = 0;

  function lineOf(tenantId: string): T[] {
    const line = lines.get(tenantId) ?? [];
    lines.set(tenantId, line);
    return line;
  }

  return {
    push(tenantId, item) {
      lineOf(tenantId).push(item);
      size += 1;
    },
    unshift(tenantId, item) {
      lineOf(tenantId).unshift(item);
      size += 1;
    },
    take(mayTake = () => true) {
      for (const [tenantId, line] of lines) {
        if (!mayTake(tenantId, line[0]!)) continue;
        const item = line.shift()!;
        size -= 1;
        lines.delete(tenantId);
        if (line.length > 0) lines.set(tenantId, line);
        return { tenantId, item };
      }
      return undefined;
    },
    size: () => size,
    sizeOf: (tenantId) => lines.get(tenantId)?.length ?? 0,
    clear(tenantId) {
      const cleared = tenantId === undefined ? [...lines.keys()] : [tenantId];
      const items = cleared.flatMap((id) => lines.get(id) ?? []);
      for (const id of cleared) lines.delete(id);
      size -= items.length;
      return items;
    },
  };
}
