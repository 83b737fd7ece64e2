/** The most memories of a cluster. */
export const MAX_CLUSTER = 12;

/**
 * Groups the items of a portion with their neighbors, which are best first. An item stands in one cluster; one without
 * neighbors in none. Items whose neighbors' cluster is full form further ones with others like that; the last of those, if
 * it would stand alone, makes a cluster one longer.
 */
export function clustersOf(neighborsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const clusters: string[][] = [];
  const clusterOf = new Map<string, string[]>();
  const put = (id: string, cluster: string[]) => {
    cluster.push(id);
    clusterOf.set(id, cluster);
  };
  /** The items that found no room, by the full cluster of their nearest neighbor. */
  const left = new Map<string[], string[]>();
  for (const [id, neighbors] of neighborsOf) {
    if (neighbors.length === 0) continue;
    const cluster = clusterOf.get(id) ?? roomFor(neighbors, clusterOf);
    if (cluster === undefined) {
      const full = clusterOf.get(neighbors[0]!)!;
      left.set(full, [...(left.get(full) ?? []), id]);
      continue;
    }
    if (cluster.length === 0) clusters.push(cluster);
    if (!clusterOf.has(id)) put(id, cluster);
    for (const one of neighbors) {
      if (cluster.length < MAX_CLUSTER && !clusterOf.has(one)) put(one, cluster);
    }
  }
  for (const [full, all] of left) {
    const ids = all.filter((id) => !clusterOf.has(id));
    let last = full;
    while (ids.length > 1) {
      last = ids.splice(0, MAX_CLUSTER);
      clusters.push(last);
    }
    last.push(...ids);
  }
  return clusters;
}

/** The first cluster of some neighbors that has room; a new one if a neighbor stands in none; `undefined` if all are full. */
function roomFor(neighbors: readonly string[], clusterOf: ReadonlyMap<string, string[]>): string[] | undefined {
  for (const one of neighbors) {
    const cluster = clusterOf.get(one);
    if (cluster === undefined) return [];
    if (cluster.length < MAX_CLUSTER) return cluster;
  }
  return undefined;
}
