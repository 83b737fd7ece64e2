import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, padToPowerOfTwo, placeholders } from '../../db/values.ts';

interface ScopeRow {
  tenantId: string;
  endUser: string;
  scope: number;
  /** Set while the user's rows are being erased. */
  erasedAt: number | null;
}

/** The scopes of those users that have one. */
export async function findScopes(
  reader: Reader,
  users: readonly { tenantId: string; endUser: string }[],
): Promise<ScopeRow[]> {
  const padded = padToPowerOfTwo(users);
  return reader.all(
    `SELECT tenantId, endUser, scope, erasedAt FROM scopes WHERE (tenantId, endUser) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap(({ tenantId, endUser }) => [tenantId, endUser]),
  );
}

export async function insertScopes(
  connection: Connection,
  users: readonly { tenantId: string; endUser: string }[],
): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO scopes (tenantId, endUser)',
    users.map(({ tenantId, endUser }) => [tenantId, endUser]),
    'ON CONFLICT DO NOTHING',
  );
}

/** Marks a user whose rows are about to be deleted. */
export async function updateHidden(
  connection: Connection,
  { tenantId, endUser }: { tenantId: string; endUser: string },
  nowMs: number,
): Promise<void> {
  await connection.run('UPDATE scopes SET erasedAt = ? WHERE tenantId = ? AND endUser = ?', [nowMs, tenantId, endUser]);
}

/** Lists users of all tenants whose erasure has not finished. */
export async function listHidden(reader: Reader): Promise<{ tenantId: string; endUser: string }[]> {
  return reader.all('SELECT tenantId, endUser FROM scopes WHERE erasedAt IS NOT NULL');
}

export async function deleteScope(
  connection: Connection,
  { tenantId, endUser }: { tenantId: string; endUser: string },
): Promise<void> {
  await connection.run('DELETE FROM scopes WHERE tenantId = ? AND endUser = ? AND erasedAt IS NOT NULL', [
    tenantId,
    endUser,
  ]);
}

export async function deleteScopesOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM scopes WHERE tenantId = ?', [tenantId]);
}
