import type { Connection, Reader } from '../../db/connection.ts';

/** A data key wrapped by the named master key. */
export interface DataKeyRow {
  /** Empty for the daemon's own data key. */
  tenantId: string;
  masterKeyId: string;
  wrapped: Buffer;
}

export async function findDataKey(reader: Reader, tenantId: string): Promise<DataKeyRow | undefined> {
  return reader.get<DataKeyRow>('SELECT * FROM dataKeys WHERE tenantId = ?', [tenantId]);
}

export async function insertDataKey(connection: Connection, row: DataKeyRow): Promise<void> {
  await connection.run('INSERT INTO dataKeys (tenantId, masterKeyId, wrapped) VALUES (?, ?, ?)', [
    row.tenantId,
    row.masterKeyId,
    row.wrapped,
  ]);
}

/** Lists data keys wrapped by any other master key, the daemon's own first. For key rotation. */
export async function listDataKeysOfOthers(reader: Reader, masterKeyId: string, limit: number): Promise<DataKeyRow[]> {
  return reader.all<DataKeyRow>('SELECT * FROM dataKeys WHERE masterKeyId <> ? ORDER BY tenantId LIMIT ?', [
    masterKeyId,
    limit,
  ]);
}

/** Counts all data keys, and those wrapped by any other master key. */
export async function countDataKeys(reader: Reader, masterKeyId: string): Promise<{ all: number; others: number }> {
  const row = await reader.get<{ keys: number; others: number | null }>(
    'SELECT COUNT(*) AS keys, SUM(CASE WHEN masterKeyId <> ? THEN 1 ELSE 0 END) AS others FROM dataKeys',
    [masterKeyId],
  );
  return { all: row!.keys, others: row!.others ?? 0 };
}

export async function updateDataKey(connection: Connection, row: DataKeyRow): Promise<void> {
  await connection.run('UPDATE dataKeys SET masterKeyId = ?, wrapped = ? WHERE tenantId = ?', [
    row.masterKeyId,
    row.wrapped,
    row.tenantId,
  ]);
}

export async function deleteDataKey(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM dataKeys WHERE tenantId = ?', [tenantId]);
}

/** Deletes a tenant's data key unless it seals something: a provider key or the secret of a webhook. */
export async function deleteUnusedDataKey(connection: Connection, tenantId: string): Promise<void> {
  await connection.run(
    `DELETE FROM dataKeys WHERE tenantId = ?
       AND NOT EXISTS (SELECT 1 FROM providerKeys p WHERE p.tenantId = dataKeys.tenantId)
       AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.tenantId = dataKeys.tenantId)`,
    [tenantId],
  );
}
