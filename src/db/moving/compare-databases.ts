import type { Reader } from '../connection.ts';
import type { TenantsByTable } from './copy-rows.ts';
import { compareTenants, readDigests, type TenantDigests } from './digests.ts';
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
