import type { Connection, Reader } from '../../db/connection.ts';

/** A registered client. `redirectUris` is a JSON array. It belongs to no tenant. */
export interface ClientRow {
  id: string;
  name: string;
  redirectUris: string;
  createdAt: number;
  lastUsedAt: number;
}

export async function insertClient(connection: Connection, row: ClientRow): Promise<void> {
  await connection.run(
    'INSERT INTO oauthClients (id, name, redirectUris, createdAt, lastUsedAt) VALUES (?, ?, ?, ?, ?)',
    [row.id, row.name, row.redirectUris, row.createdAt, row.lastUsedAt],
  );
}

export async function findClient(reader: Reader, id: string): Promise<ClientRow | undefined> {
  return reader.get<ClientRow>('SELECT id, name, redirectUris, createdAt, lastUsedAt FROM oauthClients WHERE id = ?', [
    id,
  ]);
}

/** Notes that a client was used, at most once a day. */
export async function updateClientUsed(connection: Connection, id: string, nowMs: number): Promise<void> {
  await connection.run('UPDATE oauthClients SET lastUsedAt = ? WHERE id = ? AND lastUsedAt < ?', [
    nowMs,
    id,
    nowMs - 24 * 3_600_000,
  ]);
}

export async function deleteClientsUnusedSince(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM oauthClients WHERE lastUsedAt <= ?', [beforeMs]);
}
