import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, padToPowerOfTwo, placeholders } from '../../db/values.ts';

/** The scopes of those users that have one. */
export async function findScopes(
  reader: Reader,
  users: readonly { tenantId: string; endUser: string }[],
): Promise<{ tenantId: string; endUser: string; scope: number }[]> {
  const padded = padToPowerOfTwo(users);
  return reader.all(
    `SELECT tenantId, endUser, scope FROM scopes WHERE (tenantId, endUser) IN (VALUES ${placeholders(padded.length, 2)})`,
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

export async function deleteScopesOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM scopes WHERE tenantId = ?', [tenantId]);
}
