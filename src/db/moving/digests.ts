import { createHash, type Hash } from 'node:crypto';
import type { Reader } from '../connection.ts';
import { compareValues, rowsOf } from './moved-rows.ts';
import type { MovedTable } from './moved-tables.ts';

/** Digest of a tenant's rows in a table. */
interface Digest {
  tenantId: string;
  rows: number;
  /** Size of the rows in canonical form. */
  bytes: number;
  /** Hash of the canonical form, in ascending order of keys. */
  sha256: string;
}

/** Counts and checksums the rows of each tenant, or of these tenants, by ascending id. */
async function* digestsOf(reader: Reader, table: MovedTable, tenantIds?: readonly string[]): AsyncGenerator<Digest> {
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

/** Digests by tenant, of one table. */
export type TenantDigests = Map<string, Digest['sha256']>;

/** Reads the digests of a table's tenants, or of these tenants. */
export async function readDigests(
  reader: Reader,
  table: MovedTable,
  tenantIds?: readonly string[],
): Promise<TenantDigests> {
  const digests: TenantDigests = new Map();
  for await (const { tenantId, sha256 } of digestsOf(reader, table, tenantIds)) digests.set(tenantId, sha256);
  return digests;
}

/** A comparison of the rows of a table in two databases. */
export interface Comparison {
  /** Tenants whose rows differ, by ascending id. */
  tenantIds: string[];
  /** Rows in the source. */
  rows: number;
  bytes: number;
}

/** Compares tenants, or these tenants, with what the other database had when its digests were read. */
export async function compareTenants(
  source: Reader,
  target: TenantDigests,
  table: MovedTable,
  tenantIds?: readonly string[],
): Promise<Comparison> {
  const found: Comparison = { tenantIds: [], rows: 0, bytes: 0 };
  const onlyInTarget = new Set((tenantIds ?? [...target.keys()]).filter((tenantId) => target.has(tenantId)));
  for await (const { tenantId, rows, bytes, sha256 } of digestsOf(source, table, tenantIds)) {
    onlyInTarget.delete(tenantId);
    if (target.get(tenantId) !== sha256) found.tenantIds.push(tenantId);
    found.rows += rows;
    found.bytes += bytes;
  }
  found.tenantIds = [...found.tenantIds, ...onlyInTarget].sort(compareValues);
  return found;
}
