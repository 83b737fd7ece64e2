import { createHash, type Hash } from 'node:crypto';
import type { Reader } from '../connection.ts';
import type { TenantsByTable } from './copy-rows.ts';
import { compareValues, rowsOf } from './moved-rows.ts';
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts';

/** Called with the fraction of the tables that are done. */
export type OnTable = (fraction: number) => void;

/** Digests of all tenants of a database. */
export type Digests = Map<MovedTable, TenantDigests>;

/** Reads the digests of a database. `onTable` is called with the fraction that is done before each table. */
export async function readAllDigests(reader: Reader, onTable: OnTable): Promise<Digests> {
  const digests: Digests = new Map();
  for (const [index, table] of MOVED_TABLES.entries()) {
    onTable(index / MOVED_TABLES.length);
    digests.set(table, await readDigests(reader, table));
  }
  return digests;
}

/** Reads the digests of these tenants again. */
export async function updateDigests(reader: Reader, digests: Digests, tenantsOf: TenantsByTable): Promise<void> {
  for (const [table, tenantIds] of tenantsOf) {
    const fresh = await readDigests(reader, table, tenantIds);
    const known = digests.get(table)!;
    for (const tenantId of tenantIds ?? known.keys()) known.delete(tenantId);
    for (const [tenantId, sha256] of fresh) known.set(tenantId, sha256);
  }
}

/** The differences between two databases, and the size of the first one. */
export interface DatabaseComparison {
  different: ReadonlyMap<MovedTable, readonly string[]>;
  tenants: number;
  rows: number;
  bytes: number;
}

/** Compares a database with the digests of another: these tenants, or all. */
export async function compareDatabases(
  source: Reader,
  digests: Digests,
  onTable: OnTable,
  tenantsOf?: TenantsByTable,
): Promise<DatabaseComparison> {
  const different = new Map<MovedTable, readonly string[]>();
  let [tenants, rows, bytes] = [0, 0, 0];
  for (const [index, table] of MOVED_TABLES.entries()) {
    if (tenantsOf?.has(table) === false) continue;
    onTable(index / MOVED_TABLES.length);
    const found = await compareTenants(source, digests.get(table)!, table, tenantsOf?.get(table));
    if (found.tenantIds.length > 0) different.set(table, found.tenantIds);
    if (table.name === 'tenants') tenants = found.rows;
    rows += found.rows;
    bytes += found.bytes;
  }
  return { different, tenants, rows, bytes };
}

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
