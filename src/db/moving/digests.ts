import { createHash, type Hash } from 'node:crypto';
import type { Reader } from '../connection.ts';
import { compareValues, rowsOf } from './moved-rows.ts';
import type { MovedTable } from './moved-tables.ts';

/** What a tenant has in a table. */
export interface Digest {
  tenantId: string;
  rows: number;
  /** Of the canonical form of the rows. */
  bytes: number;
  /** Of that form, by ascending key. */
  sha256: string;
}

/** Counts and checksums the rows of each tenant, or of these tenants, by ascending id. */
export async function* digestsOf(
  reader: Reader,
  table: MovedTable,
  tenantIds?: readonly string[],
): AsyncGenerator<Digest> {
  let open: { tenantId: string; rows: number; bytes: number; hash: Hash } | undefined;
  const close = ({ tenantId, rows, bytes, hash }: NonNullable<typeof open>): Digest => {
    return { tenantId, rows, bytes, sha256: hash.digest('hex') };
  };
  for await (const { tenantId, canonical } of rowsOf(reader, table, tenantIds)) {
    if (open?.tenantId !== tenantId) {
      if (open !== undefined) yield close(open);
      open = { tenantId, rows: 0, bytes: 0, hash: createHash('sha256') };
    }
    open.rows += 1;
    open.bytes += canonical.length;
    open.hash.update(canonical).update('\n');
  }
  if (open !== undefined) yield close(open);
}

/** A comparison of the rows of a table in two databases. */
export interface Comparison {
  /** Those whose rows differ, by ascending id. */
  tenantIds: string[];
  /** In the source. */
  rows: number;
  bytes: number;
}

/** Compares the tenants of two databases by their digests. */
export async function compareTenants(
  source: Reader,
  target: Reader,
  table: MovedTable,
  tenantIds?: readonly string[],
): Promise<Comparison> {
  const sources = digestsOf(source, table, tenantIds);
  const targets = digestsOf(target, table, tenantIds);
  const found: Comparison = { tenantIds: [], rows: 0, bytes: 0 };
  let [mine, theirs] = await Promise.all([sources.next(), targets.next()]);
  while (!mine.done || !theirs.done) {
    const order = mine.done ? 1 : theirs.done ? -1 : compareValues(mine.value.tenantId, theirs.value.tenantId);
    const isSame = order === 0 && mine.value!.sha256 === theirs.value!.sha256;
    if (!isSame) found.tenantIds.push((order <= 0 ? mine.value! : theirs.value!).tenantId);
    if (order <= 0) {
      found.rows += mine.value!.rows;
      found.bytes += mine.value!.bytes;
    }
    [mine, theirs] = await Promise.all([order <= 0 ? sources.next() : mine, order >= 0 ? targets.next() : theirs]);
  }
  return found;
}
