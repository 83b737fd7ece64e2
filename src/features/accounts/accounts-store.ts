import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { toStayAlone } from '../../db/transactions.ts';

export interface TenantRow {
  tenantId: string;
  email: string;
  tier: Tier;
  createdAt: number;
  /** Set while the tenant's rows are being erased. */
  erasedAt: number | null;
}

export async function findTenantByEmail(reader: Reader, email: string): Promise<TenantRow | undefined> {
  return reader.get<TenantRow>('SELECT * FROM tenants WHERE email = ?', [email]);
}

/** Waits for the writes of other daemons for the tenant, and keeps further ones out until the transaction ends. */
export async function lockTenantByEmail(connection: Connection, email: string): Promise<void> {
  await connection.get(`SELECT 1 FROM tenants WHERE email = ? ${toStayAlone(connection.engine)}`, [email]);
}

export async function findTenant(reader: Reader, tenantId: string): Promise<TenantRow | undefined> {
  return reader.get<TenantRow>('SELECT * FROM tenants WHERE tenantId = ? AND erasedAt IS NULL', [tenantId]);
}

/** A space is a tenant without an e-mail address. */
const IS_ACCOUNT = "email NOT LIKE 'space:%'";

/** Whether there is one account at most. */
export async function hasOneTenant(reader: Reader): Promise<boolean> {
  const rows = await reader.all(`SELECT tenantId FROM tenants WHERE erasedAt IS NULL AND ${IS_ACCOUNT} LIMIT 2`);
  return rows.length < 2;
}

export async function hasNoTenant(reader: Reader): Promise<boolean> {
  const rows = await reader.all('SELECT tenantId FROM tenants WHERE erasedAt IS NULL LIMIT 1');
  return rows.length === 0;
}

/** Lists all accounts, newest first. For the operator. */
export async function listTenants(reader: Reader): Promise<TenantRow[]> {
  return reader.all<TenantRow>(`SELECT * FROM tenants WHERE erasedAt IS NULL AND ${IS_ACCOUNT} ORDER BY tenantId DESC`);
}

export async function listHalfErased(reader: Reader): Promise<TenantRow[]> {
  return reader.all<TenantRow>('SELECT * FROM tenants WHERE erasedAt IS NOT NULL');
}

export async function insertTenant(connection: Connection, row: TenantRow): Promise<void> {
  await connection.run('INSERT INTO tenants (tenantId, email, tier, createdAt, erasedAt) VALUES (?, ?, ?, ?, ?)', [
    row.tenantId,
    row.email,
    row.tier,
    row.createdAt,
    row.erasedAt,
  ]);
}

/** Returns whether there is such a tenant. */
export async function updateTier(connection: Connection, tenantId: string, tier: Tier): Promise<boolean> {
  const sql = 'UPDATE tenants SET tier = ? WHERE tenantId = ? AND erasedAt IS NULL';
  return (await connection.run(sql, [tier, tenantId])).changes > 0;
}

/** Frees the address for a new account and marks the tenant as erased. */
export async function updateErased(connection: Connection, tenantId: string, nowMs: number): Promise<void> {
  await connection.run("UPDATE tenants SET email = 'erased:' || tenantId, erasedAt = ? WHERE tenantId = ?", [
    nowMs,
    tenantId,
  ]);
}

export async function deleteTenant(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM tenants WHERE tenantId = ?', [tenantId]);
}

export async function findInvitation(reader: Reader, email: string): Promise<boolean> {
  return (await reader.get('SELECT email FROM invitations WHERE email = ?', [email])) !== undefined;
}

export async function listInvitations(reader: Reader): Promise<{ email: string; createdAt: number }[]> {
  return reader.all('SELECT email, createdAt FROM invitations ORDER BY createdAt DESC');
}

export async function insertInvitation(connection: Connection, email: string, nowMs: number): Promise<void> {
  await connection.run('INSERT INTO invitations (email, createdAt) VALUES (?, ?) ON CONFLICT DO NOTHING', [
    email,
    nowMs,
  ]);
}

export async function deleteInvitation(connection: Connection, email: string): Promise<boolean> {
  return (await connection.run('DELETE FROM invitations WHERE email = ?', [email])).changes > 0;
}
