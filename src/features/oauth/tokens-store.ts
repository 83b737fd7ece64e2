import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';
import type { OAuthScope } from './oauth-scope.ts';

/** A code or token, which is stored only as a hash. It is valid only as long as its connection. */
export interface TokenRow {
  tenantId: string;
  tokenHash: string;
  kind: 'code' | 'access' | 'refresh';
  connectionId: string;
  clientId: string;
  scope: OAuthScope;
  /** Set for codes only. */
  redirectUri: string | null;
  /** Set for codes only. */
  codeChallenge: string | null;
  expiresAt: number;
  /** When a code or a refresh token was used: once is all. */
  usedAt: number | null;
}

/** An access token with its account and its connection. */
export interface AccessRow {
  tokenHash: string;
  tenantId: string;
  email: string;
  tier: Tier;
  connectionId: string;
  client: string;
  scope: OAuthScope;
  expiresAt: number;
  endsAt: number;
  createdAt: number;
  lastUsedAt: number;
  /** The only space in which it acts. */
  space: string | null;
}

const SELECT_TOKEN = `SELECT o.tenantId, o.tokenHash, o.kind, o.connectionId, o.clientId, o.scope, o.redirectUri,
    o.codeChallenge, o.expiresAt, o.usedAt
  FROM oauthTokens o JOIN connections c ON c.tenantId = o.tenantId AND c.id = o.connectionId`;

/** Finds access tokens by their hashes. Without a tenant, because they determine the tenant. */
export async function findAccessTokens(reader: Reader, hashes: string[]): Promise<Map<string, AccessRow>> {
  const padded = padToPowerOfTwo(hashes);
  const rows = await reader.all<AccessRow>(
    `SELECT o.tokenHash, o.tenantId, t.email, t.tier, o.connectionId, c.client, o.scope, o.expiresAt,
       c.endsAt, c.createdAt, c.lastUsedAt, c.space
     FROM oauthTokens o JOIN connections c ON c.tenantId = o.tenantId AND c.id = o.connectionId
       JOIN tenants t ON t.tenantId = o.tenantId
     WHERE o.tokenHash IN (${listPlaceholders(padded.length)}) AND o.kind = 'access' AND t.erasedAt IS NULL`,
    padded,
  );
  return new Map(rows.map((row) => [row.tokenHash, row]));
}

/** Finds a code or token whose connection is there. Without a tenant, because it determines the tenant. */
export async function findToken(reader: Reader, tokenHash: string): Promise<TokenRow | undefined> {
  return reader.get<TokenRow>(`${SELECT_TOKEN} WHERE o.tokenHash = ?`, [tokenHash]);
}

/** Finds the refresh token of a grant by the hash of what its tokens begin with. Without a tenant, as above. */
export async function findTokenOfFamily(reader: Reader, familyHash: string): Promise<TokenRow | undefined> {
  return reader.get<TokenRow>(`${SELECT_TOKEN} WHERE c.tokenHash = ? AND c.kind = 'oauth' AND o.kind = 'refresh'`, [
    familyHash,
  ]);
}

export async function insertToken(connection: Connection, row: Omit<TokenRow, 'usedAt'>): Promise<void> {
  await connection.run(
    `INSERT INTO oauthTokens (tenantId, tokenHash, kind, connectionId, clientId, scope, redirectUri, codeChallenge,
       expiresAt, usedAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
    [
      ...[row.tenantId, row.tokenHash, row.kind, row.connectionId, row.clientId, row.scope],
      ...[row.redirectUri, row.codeChallenge, row.expiresAt],
    ],
  );
}

/** Uses a code, or a refresh token without a family, which stays known. Returns whether it was the first time. */
export async function updateTokenUsed(
  connection: Connection,
  { tenantId, tokenHash }: Pick<TokenRow, 'tenantId' | 'tokenHash'>,
  nowMs: number,
): Promise<boolean> {
  const { changes } = await connection.run(
    'UPDATE oauthTokens SET usedAt = ? WHERE tenantId = ? AND tokenHash = ? AND usedAt IS NULL',
    [nowMs, tenantId, tokenHash],
  );
  return changes > 0;
}

/** Uses a refresh token that has a family. Returns whether it was the first time. */
export async function deleteToken(
  connection: Connection,
  { tenantId, tokenHash }: Pick<TokenRow, 'tenantId' | 'tokenHash'>,
): Promise<boolean> {
  const { changes } = await connection.run(
    'DELETE FROM oauthTokens WHERE tenantId = ? AND tokenHash = ? AND usedAt IS NULL',
    [tenantId, tokenHash],
  );
  return changes > 0;
}

/** Deletes the access tokens of a connection, except the `count` latest. */
export async function deleteAccessTokensBut(
  connection: Connection,
  { tenantId, connectionId }: Pick<TokenRow, 'tenantId' | 'connectionId'>,
  count: number,
): Promise<void> {
  await connection.run(
    `DELETE FROM oauthTokens WHERE tenantId = ? AND connectionId = ? AND kind = 'access' AND tokenHash NOT IN (
       SELECT tokenHash FROM oauthTokens WHERE tenantId = ? AND connectionId = ? AND kind = 'access'
       ORDER BY expiresAt DESC, tokenHash LIMIT ?)`,
    [tenantId, connectionId, tenantId, connectionId, count],
  );
}

export async function deleteTokensOfConnection(connection: Connection, tenantId: string, id: string): Promise<void> {
  await connection.run('DELETE FROM oauthTokens WHERE tenantId = ? AND connectionId = ?', [tenantId, id]);
}

export async function deleteTokensOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM oauthTokens WHERE tenantId = ?', [tenantId]);
}

export async function deleteTokensBefore(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM oauthTokens WHERE expiresAt <= ?', [beforeMs]);
}

/** Deletes the codes and tokens of all connections that have ended. */
export async function deleteTokensWithoutConnection(connection: Connection): Promise<void> {
  await connection.run(
    `DELETE FROM oauthTokens WHERE NOT EXISTS (
       SELECT 1 FROM connections c WHERE c.tenantId = oauthTokens.tenantId AND c.id = oauthTokens.connectionId)`,
  );
}
