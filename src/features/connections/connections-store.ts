import type { Tier } from '../../contract/limits.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';

/** `page` is the session of a browser, `device` a machine, `oauth` a client that was allowed to use MCP. */
export type ConnectionKind = 'page' | 'device' | 'oauth';

/** A stored connection. */
export interface ConnectionRow {
  id: string;
  kind: ConnectionKind;
  client: string;
  /** The host that vouches for the name of an OAuth client. */
  verifiedHost: string | null;
  scope: Scope;
  /** The IP address of its last use, or of its creation. */
  address: string | null;
  /** The connection that opened this one. */
  openedBy: string | null;
  /** The only space in which it acts. */
  space: string | null;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

/** A connection with its token's hash and its tenant. */
export interface TokenRow extends ConnectionRow {
  tokenHash: string;
  tenantId: string;
  email: string;
  tier: Tier;
  endsAt: number;
}

/** A connection that is used with a token. It ends when it was not used for a while, at `expiresAt` at the latest. */
export type NewConnection = Omit<ConnectionRow, 'space'> & { tenantId: string; tokenHash: string; endsAt: number };

const COLUMNS = 'id, kind, client, verifiedHost, scope, address, openedBy, space, createdAt, lastUsedAt, expiresAt';

/** Finds connections by the hashes of their tokens. Without a tenant, because it determines the tenant. */
export async function findByTokens(reader: Reader, hashes: string[]): Promise<Map<string, TokenRow>> {
  const padded = padToPowerOfTwo(hashes);
  const rows = await reader.all<TokenRow>(
    `SELECT c.tokenHash, c.tenantId, t.email, t.tier, c.id, c.kind, c.client, c.verifiedHost, c.scope,
       c.address, c.openedBy, c.space, c.createdAt, c.lastUsedAt, c.expiresAt, c.endsAt
     FROM connections c JOIN tenants t ON t.tenantId = c.tenantId
     WHERE c.tokenHash IN (${listPlaceholders(padded.length)}) AND t.erasedAt IS NULL`,
    padded,
  );
  return new Map(rows.map((row) => [row.tokenHash, row]));
}

/** Adds a connection, unless the tenant is being erased. Returns whether it did. */
export async function insertConnection(connection: Connection, row: NewConnection): Promise<boolean> {
  const { changes } = await connection.run(
    `INSERT INTO connections (tenantId, id, kind, tokenHash, client, verifiedHost, scope, address, openedBy, createdAt,
       lastUsedAt, expiresAt, endsAt)
     SELECT tenantId, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
       CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
     FROM tenants WHERE tenantId = ? AND erasedAt IS NULL`,
    [
      ...[row.id, row.kind, row.tokenHash, row.client, row.verifiedHost, row.scope, row.address, row.openedBy],
      ...[row.createdAt, row.lastUsedAt, row.expiresAt, row.endsAt, row.tenantId],
    ],
  );
  return changes > 0;
}

/** Lists the connections of a kind that one connection opened, or none, except the `count` most recently used. */
export async function listAllBut(
  connection: Connection,
  {
    tenantId,
    kind,
    openedBy,
    count,
  }: { tenantId: string; kind: ConnectionKind; openedBy: string | null; count: number },
): Promise<string[]> {
  const rows = await connection.all<{ id: string }>(
    `SELECT id FROM connections WHERE tenantId = ? AND kind = ? AND openedBy IS NOT DISTINCT FROM CAST(? AS TEXT)
     ORDER BY lastUsedAt DESC, id DESC LIMIT 1000 OFFSET ?`,
    [tenantId, kind, openedBy, count],
  );
  return rows.map(({ id }) => id);
}

export async function updateUsed(
  connection: Connection,
  { tenantId, tokenHash }: { tenantId: string; tokenHash: string },
  { nowMs, endsAt, address }: { nowMs: number; endsAt: number; address: string | null },
): Promise<void> {
  await connection.run(
    `UPDATE connections SET lastUsedAt = ?, address = ?,
       endsAt = CASE WHEN expiresAt < ? THEN expiresAt ELSE CAST(? AS BIGINT) END
     WHERE tenantId = ? AND tokenHash = ?`,
    [nowMs, address, endsAt, endsAt, tenantId, tokenHash],
  );
}

export async function updateUsedById(
  connection: Connection,
  { tenantId, id, address, nowMs }: { tenantId: string; id: string; address: string; nowMs: number },
): Promise<void> {
  await connection.run('UPDATE connections SET lastUsedAt = ?, address = ? WHERE tenantId = ? AND id = ?', [
    ...[nowMs, address, tenantId, id],
  ]);
}

/** Sets when a connection ends, and the hash of its token. Returns whether it exists. */
export async function updateEnd(
  connection: Connection,
  { tenantId, id, tokenHash, endsAt }: Pick<NewConnection, 'tenantId' | 'id' | 'tokenHash' | 'endsAt'>,
): Promise<boolean> {
  const { changes } = await connection.run(
    'UPDATE connections SET expiresAt = ?, endsAt = ?, tokenHash = ? WHERE tenantId = ? AND id = ?',
    [endsAt, endsAt, tokenHash, tenantId, id],
  );
  return changes > 0;
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

/** Whether a tenant has an API key, or a connection that has not ended, with this hash. */
export async function hasCredential(
  reader: Reader,
  { tenantId, hash, nowMs }: { tenantId: string; hash: string; nowMs: number },
): Promise<boolean> {
  const found = await reader.get(
    `SELECT 1 AS found FROM tenants t WHERE tenantId = ? AND erasedAt IS NULL
       AND (EXISTS (SELECT 1 FROM connections c WHERE c.tenantId = t.tenantId AND c.tokenHash = ? AND c.endsAt > ?)
         OR EXISTS (SELECT 1 FROM apiKeys k WHERE k.tenantId = t.tenantId AND k.hash = ?))`,
    [tenantId, hash, nowMs, hash],
  );
  return found !== undefined;
}

/** Sets the only space in which a connection acts, or none, and ends the sessions that it opened. */
export async function updateSpace(
  connection: Connection,
  { tenantId, id, space }: { tenantId: string; id: string; space: string | null },
): Promise<void> {
  await connection.run('UPDATE connections SET space = ? WHERE tenantId = ? AND id = ?', [space, tenantId, id]);
  await connection.run('DELETE FROM connections WHERE tenantId = ? AND openedBy = ?', [tenantId, id]);
}

/** Remembers that the tokens of devices, by the ids of their connections, end now. */
export async function insertEndedDevices(
  connection: Connection,
  tenantId: string,
  ids: readonly string[],
  endedAt: number,
): Promise<void> {
  await connection.run(
    `INSERT INTO endedKeys (tenantId, hash, endedAt, endedBy, device)
     SELECT tenantId, tokenHash, CAST(? AS BIGINT), 'deviceRevocation', client FROM connections
     WHERE tenantId = ? AND kind = 'device' AND id IN (SELECT value FROM texts(?))`,
    [endedAt, tenantId, JSON.stringify(ids)],
  );
}

/** Deletes connections, and those that they opened. */
export async function deleteConnections(
  connection: Connection,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const list = JSON.stringify(ids);
  await connection.run(
    `DELETE FROM connections WHERE tenantId = ?
       AND (id IN (SELECT value FROM texts(?)) OR openedBy IN (SELECT value FROM texts(?)))`,
    [tenantId, list, list],
  );
}

export async function deleteConnectionsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM connections WHERE tenantId = ?', [tenantId]);
}

export async function deleteEnded(connection: Connection, nowMs: number): Promise<void> {
  await connection.run('DELETE FROM connections WHERE endsAt <= ?', [nowMs]);
}
