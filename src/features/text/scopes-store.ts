import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, padToPowerOfTwo, placeholders } from '../../db/values.ts';

/** The scope numbers of (tenant, user) pairs that have one. */
export async function findScopes(
  reader: Reader,
  places: readonly { tenantId: string; endUser: string }[],
): Promise<{ tenantId: string; endUser: string; scope: number }[]> {
  const padded = padToPowerOfTwo(places);
  return reader.all(
    `SELECT tenantId, endUser, scope FROM scopes WHERE (tenantId, endUser) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap(({ tenantId, endUser }) => [tenantId, endUser]),
  );
}

export async function insertScopes(
  connection: Connection,
  places: readonly { tenantId: string; endUser: string }[],
): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO scopes (tenantId, endUser)',
    places.map(({ tenantId, endUser }) => [tenantId, endUser]),
    'ON CONFLICT DO NOTHING',
  );
}

export async function deleteScopesOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM scopes WHERE tenantId = ?', [tenantId]);
}
