import type { Scope } from '../../contract/scopes.ts';
import type { Connection, Reader } from '../../db/connection.ts';

/** A ticket that opens a page session once. */
export interface TicketRow {
  tenantId: string;
  tokenHash: string;
  expiresAt: number;
  /** When the session that it opens ends at the latest. */
  sessionExpiresAt: number;
  /** The scope of that session. */
  scope: Scope;
  /** The connection that ends that session when it ends. */
  openedBy: string | null;
}

/** Finds a ticket and the address of its account. Without a tenant, because it determines the tenant. */
export async function findTicket(
  reader: Reader,
  tokenHash: string,
): Promise<(TicketRow & { email: string }) | undefined> {
  return reader.get(
    'SELECT s.*, t.email FROM sessionTickets s JOIN tenants t ON t.tenantId = s.tenantId WHERE s.tokenHash = ?',
    [tokenHash],
  );
}

/** Adds a ticket, unless the credential with the hash `askedBy` or its tenant has ended. Returns whether it did. */
export async function insertTicket(connection: Connection, row: TicketRow, askedBy: string): Promise<boolean> {
  const { changes } = await connection.run(
    `INSERT INTO sessionTickets (tenantId, tokenHash, expiresAt, sessionExpiresAt, scope, openedBy)
     SELECT tenantId, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT)
     FROM tenants t WHERE tenantId = ? AND erasedAt IS NULL
       AND (EXISTS (SELECT 1 FROM connections c WHERE c.tenantId = t.tenantId AND c.tokenHash = ?)
         OR EXISTS (SELECT 1 FROM apiKeys k WHERE k.tenantId = t.tenantId AND k.hash = ?))`,
    [
      ...[row.tokenHash, row.expiresAt, row.sessionExpiresAt, row.scope, row.openedBy],
      ...[row.tenantId, askedBy, askedBy],
    ],
  );
  return changes > 0;
}

/** Consumes a ticket. Returns whether it was still there. */
export async function deleteTicket(connection: Connection, tenantId: string, tokenHash: string): Promise<boolean> {
  const { changes } = await connection.run('DELETE FROM sessionTickets WHERE tenantId = ? AND tokenHash = ?', [
    tenantId,
    tokenHash,
  ]);
  return changes > 0;
}

export async function deleteTicketsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM sessionTickets WHERE tenantId = ?', [tenantId]);
}

export async function deleteExpiredTickets(connection: Connection, nowMs: number): Promise<void> {
  await connection.run('DELETE FROM sessionTickets WHERE expiresAt <= ?', [nowMs]);
}
