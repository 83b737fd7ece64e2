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

/** Notes that a client was used: the first time, and then at most once a day. */
export async function updateClientUsed(connection: Connection, id: string, nowMs: number): Promise<void> {
  await connection.run(
    'UPDATE oauthClients SET lastUsedAt = ? WHERE id = ? AND (lastUsedAt < ? OR lastUsedAt = createdAt)',
    [nowMs, id, nowMs - 24 * 3_600_000],
  );
}

export async function deleteClientsUnusedSince(connection: Connection, beforeMs: number): Promise<void> {
  await connection.run('DELETE FROM oauthClients WHERE lastUsedAt <= ?', [beforeMs]);
}

/** Deletes clients that were never used, except the `count` that registered last. */
export async function deleteNeverUsedBut(connection: Connection, count: number): Promise<void> {
  await connection.run(
    `DELETE FROM oauthClients WHERE lastUsedAt = createdAt AND lastUsedAt <= (SELECT lastUsedAt FROM oauthClients
       WHERE lastUsedAt = createdAt ORDER BY lastUsedAt DESC LIMIT 1 OFFSET ?)`,
    [count],
  );
}
