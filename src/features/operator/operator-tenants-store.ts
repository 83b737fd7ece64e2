import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader, Value } from '../../db/connection.ts';

type TenantOrder = 'created' | 'email' | 'storedBytes';

/** An account as the operator sees it: its counts, and nothing that it stores. */
export interface CountedTenantRow {
  tenantId: string;
  email: string;
  tier: Tier;
  createdAt: number;
  storedBytes: number;
  memories: number;
  keyUsedAt: number | null;
  sessionUsedAt: number | null;
}

/** The last row of the page before. */
export type TenantPosition = Pick<CountedTenantRow, 'tenantId' | 'email' | 'storedBytes'>;

const ORDERS: Record<TenantOrder, { by: string; after: string; valuesOf(last: TenantPosition): Value[] }> = {
  created: { by: 't.tenantId DESC', after: 't.tenantId < ?', valuesOf: ({ tenantId }) => [tenantId] },
  email: { by: 't.email', after: 't.email > ?', valuesOf: ({ email }) => [email] },
  storedBytes: {
    by: 't.storedBytes DESC, t.tenantId DESC',
    after: '(t.storedBytes < ? OR (t.storedBytes = ? AND t.tenantId < ?))',
    valuesOf: ({ storedBytes, tenantId }) => [storedBytes, storedBytes, tenantId],
  },
};

interface TenantPage {
  order: TenantOrder;
  /** Part of the address, lower case; empty for all. */
  email: string;
  after: TenantPosition | undefined;
  limit: number;
}

/** Lists the tenants whose address contains a text, a page at a time. For the operator. */
export async function listCountedTenants(
  reader: Reader,
  { order, email, after, limit }: TenantPage,
): Promise<CountedTenantRow[]> {
  const { by, after: condition, valuesOf } = ORDERS[order];
  const page = `SELECT t.tenantId, t.email, t.tier, t.createdAt, t.storedBytes FROM tenants t
    WHERE t.erasedAt IS NULL AND t.email LIKE ? ESCAPE '!' ${after ? `AND ${condition}` : ''} ORDER BY ${by} LIMIT ?`;
  return reader.all<CountedTenantRow>(
    `SELECT t.tenantId, t.email, t.tier, t.createdAt, t.storedBytes,
       (SELECT COUNT(*) FROM memories m WHERE m.tenantId = t.tenantId AND m.current = 1 AND m.validTo IS NULL)
         AS memories,
       (SELECT MAX(k.lastUsedAt) FROM apiKeys k WHERE k.tenantId = t.tenantId) AS keyUsedAt,
       (SELECT MAX(c.lastUsedAt) FROM connections c WHERE c.tenantId = t.tenantId) AS sessionUsedAt
     FROM (${page}) t ORDER BY ${by}`,
    [`%${email.replace(/[!%_]/g, '!$&')}%`, ...(after ? valuesOf(after) : []), limit],
  );
}

export async function insertTicket(connection: Connection, tokenHash: string, expiresAt: number): Promise<void> {
  await connection.run('INSERT INTO operatorTickets (tokenHash, expiresAt) VALUES (?, ?)', [tokenHash, expiresAt]);
}

/** Consumes a ticket. Returns whether it was there and had not expired. */
export async function deleteTicket(connection: Connection, tokenHash: string, nowMs: number): Promise<boolean> {
  const sql = 'DELETE FROM operatorTickets WHERE tokenHash = ? AND expiresAt > ?';
  return (await connection.run(sql, [tokenHash, nowMs])).changes > 0;
}

export async function deleteExpiredTickets(connection: Connection, nowMs: number): Promise<void> {
  await connection.run('DELETE FROM operatorTickets WHERE expiresAt <= ?', [nowMs]);
}
