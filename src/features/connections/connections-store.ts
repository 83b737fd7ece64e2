import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';

/** A connection as it is stored. */
export interface ConnectionRow {
  id: string;
  kind: 'page';
  client: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

/** A page session and its tenant. */
export interface SessionRow extends ConnectionRow {
  tokenHash: string;
  tenantId: string;
  email: string;
  tier: Tier;
  endsAt: number;
}

/** A connection that is used with a token. It ends when it was not used for a while, at `expiresAt` at the latest. */
export type NewConnection = ConnectionRow & { tenantId: string; tokenHash: string; endsAt: number };

const COLUMNS = 'id, kind, client, createdAt, lastUsedAt, expiresAt';

/** Finds sessions by the hashes of their tokens. Without a tenant, because it determines the tenant. */
export async function findSessions(reader: Reader, hashes: string[]): Promise<Map<string, SessionRow>> {
  const padded = padToPowerOfTwo(hashes);
  const rows = await reader.all<SessionRow>(
    `SELECT c.tokenHash, c.tenantId, t.email, t.tier, c.id, c.kind, c.client, c.createdAt, c.lastUsedAt, c.expiresAt, c.endsAt
     FROM connections c JOIN tenants t ON t.tenantId = c.tenantId
     WHERE c.tokenHash IN (${listPlaceholders(padded.length)}) AND t.erasedAt IS NULL`,
    padded,
  );
  return new Map(rows.map((row) => [row.tokenHash, row]));
}

/** Adds a connection, unless the tenant is being erased. Returns whether it did. */
export async function insertConnection(connection: Connection, row: NewConnection): Promise<boolean> {
  const { changes } = await connection.run(
    `INSERT INTO connections (tenantId, id, kind, tokenHash, client, createdAt, lastUsedAt, expiresAt, endsAt)
     SELECT tenantId, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT),
       CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
     FROM tenants WHERE tenantId = ? AND erasedAt IS NULL`,
    [
      ...[row.id, row.kind, row.tokenHash, row.client, row.createdAt, row.lastUsedAt, row.expiresAt, row.endsAt],
      row.tenantId,
    ],
  );
  return changes > 0;
}

/** Deletes the connections of a tenant except the `count` that were used last. */
export async function deleteAllBut(connection: Connection, tenantId: string, count: number): Promise<void> {
  await connection.run(
    `DELETE FROM connections WHERE tenantId = ? AND id IN (SELECT id FROM connections WHERE tenantId = ?
       ORDER BY lastUsedAt DESC, id DESC LIMIT 1000 OFFSET ?)`,
    [tenantId, tenantId, count],
  );
}

export async function updateUsed(
  connection: Connection,
  { tenantId, tokenHash }: { tenantId: string; tokenHash: string },
  { nowMs, endsAt }: { nowMs: number; endsAt: number },
): Promise<void> {
  await connection.run(
    `UPDATE connections SET lastUsedAt = ?, endsAt = CASE WHEN expiresAt < ? THEN expiresAt ELSE CAST(? AS BIGINT) END
     WHERE tenantId = ? AND tokenHash = ?`,
    [nowMs, endsAt, endsAt, tenantId, tokenHash],
  );
}

/** Lists connections that have not ended, latest first. */
export async function listConnections(
  reader: Reader,
  { tenantId, nowMs, beforeId, limit }: { tenantId: string; nowMs: number; beforeId: string; limit: number },
): Promise<ConnectionRow[]> {
  return reader.all<ConnectionRow>(
    `SELECT ${COLUMNS} FROM connections WHERE tenantId = ? AND endsAt > ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [tenantId, nowMs, beforeId, limit],
  );
}

/** Finds a connection that has not ended. */
export async function findConnection(
  reader: Reader,
  { tenantId, id, nowMs }: { tenantId: string; id: string; nowMs: number },
): Promise<ConnectionRow | undefined> {
  return reader.get<ConnectionRow>(`SELECT ${COLUMNS} FROM connections WHERE tenantId = ? AND id = ? AND endsAt > ?`, [
    tenantId,
    id,
    nowMs,
  ]);
}

export async function deleteConnection(connection: Connection, tenantId: string, id: string): Promise<void> {
  await connection.run('DELETE FROM connections WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

export async function deleteConnectionsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM connections WHERE tenantId = ?', [tenantId]);
}

export async function deleteEnded(connection: Connection, nowMs: number): Promise<void> {
  await connection.run('DELETE FROM connections WHERE endsAt <= ?', [nowMs]);
}
