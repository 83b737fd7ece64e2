import type { Connection, Reader } from '../../db/connection.ts';
import { listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';

/** Why and when a key or token ended. `device` is the name of the terminal that signed in, or that is disconnected. */
export interface EndedKeyRow {
  hash: string;
  endedAt: number;
  endedBy: 'webSignIn' | 'terminalSignIn' | 'revocation' | 'deviceRevocation';
  device: string | null;
}

/** Finds ended keys by hash. Without a tenant: only the holder of the key asks. */
export async function findEndedKeys(reader: Reader, hashes: string[]): Promise<Map<string, EndedKeyRow>> {
  const padded = padToPowerOfTwo(hashes);
  const rows = await reader.all<EndedKeyRow>(
    `SELECT hash, endedAt, endedBy, device FROM endedKeys WHERE hash IN (${listPlaceholders(padded.length)})`,
    padded,
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

/** Remembers that the tenant's key, if it has one, ends now. */
export async function insertEndedKey(
  connection: Connection,
  tenantId: string,
  { endedAt, endedBy, device }: Omit<EndedKeyRow, 'hash'>,
): Promise<void> {
  await connection.run(
    `INSERT INTO endedKeys (tenantId, hash, endedAt, endedBy, device)
     SELECT tenantId, hash, CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT) FROM apiKeys WHERE tenantId = ?`,
    [endedAt, endedBy, device, tenantId],
  );
}

export async function deleteEndedKeysOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM endedKeys WHERE tenantId = ?', [tenantId]);
}

export async function deleteEndedKeysBefore(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM endedKeys WHERE endedAt < ?', [beforeMs]);
}
