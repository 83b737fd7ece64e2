import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';

/** Metadata of an API key. Timestamps are epoch milliseconds. */
export interface KeyMetadata {
  last4: string;
  createdAt: number;
  lastUsedAt: number | null;
}

/** A valid key and its tenant. */
export interface KeyRow extends KeyMetadata {
  hash: string;
  tenantId: string;
  email: string;
  tier: Tier;
}

/** Finds valid keys by hash. The only query without a tenant, because it determines the tenant. */
export async function findKeys(reader: Reader, hashes: string[]): Promise<Map<string, KeyRow>> {
  const padded = padToPowerOfTwo(hashes);
  const rows = await reader.all<KeyRow>(
    `SELECT k.hash, k.tenantId, t.email, t.tier, k.last4, k.createdAt, k.lastUsedAt
     FROM apiKeys k JOIN tenants t ON t.tenantId = k.tenantId
     WHERE k.hash IN (${listPlaceholders(padded.length)}) AND t.erasedAt IS NULL`,
    padded,
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Finds the valid key of a tenant. */
export async function findKeyOf(
  reader: Reader,
  tenantId: string,
): Promise<(KeyMetadata & { hash: string }) | undefined> {
  return reader.get('SELECT hash, last4, createdAt, lastUsedAt FROM apiKeys WHERE tenantId = ?', [tenantId]);
}

/** Sets the tenant's key, replacing any previous one in the same statement. */
export async function replaceKey(
  connection: Connection,
  key: { tenantId: string; hash: string; last4: string; createdAt: number },
): Promise<void> {
  await connection.run(
    `INSERT INTO apiKeys (tenantId, hash, last4, createdAt, lastUsedAt) VALUES (?, ?, ?, ?, NULL)
     ON CONFLICT (tenantId) DO UPDATE SET hash = excluded.hash, last4 = excluded.last4,
       createdAt = excluded.createdAt, lastUsedAt = NULL`,
    [key.tenantId, key.hash, key.last4, key.createdAt],
  );
}

export async function deleteKey(connection: Connection, tenantId: string, hash: string): Promise<void> {
  await connection.run('DELETE FROM apiKeys WHERE tenantId = ? AND hash = ?', [tenantId, hash]);
}

export async function deleteKeysOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM apiKeys WHERE tenantId = ?', [tenantId]);
}

export async function updateLastUsed(
  connection: Connection,
  { tenantId, hash }: { tenantId: string; hash: string },
  nowMs: number,
): Promise<void> {
  await connection.run('UPDATE apiKeys SET lastUsedAt = ? WHERE tenantId = ? AND hash = ?', [nowMs, tenantId, hash]);
}
