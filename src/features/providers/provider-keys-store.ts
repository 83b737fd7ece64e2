import type { CheckOutcome, KeyStatus, Provider } from '../../contract/providers.ts';
import type { Connection, Reader } from '../../db/connection.ts';

export interface ProviderKeyRow {
  tenantId: string;
  provider: Provider;
  id: string;
  /** Incremented at each replacement; the key is sealed for its version. */
  version: number;
  /** `null` if the provider requires no key. */
  sealed: Buffer | null;
  last4: string | null;
  baseUrl: string | null;
  /** JSON list; `null` allows all. */
  givenModels: string | null;
  /** JSON list. */
  namedModels: string;
  status: KeyStatus;
  validatedAt: number | null;
  checkOutcome: CheckOutcome;
  checkMessage: string;
  checkedAt: number;
  createdAt: number;
  updatedAt: number;
}

/** The columns that a check updates. */
export type CheckedFields = Pick<
  ProviderKeyRow,
  'namedModels' | 'status' | 'validatedAt' | 'checkOutcome' | 'checkMessage' | 'checkedAt'
>;

export async function findProviderKey(
  reader: Reader,
  tenantId: string,
  provider: string,
): Promise<ProviderKeyRow | undefined> {
  return reader.get<ProviderKeyRow>('SELECT * FROM providerKeys WHERE tenantId = ? AND provider = ?', [
    tenantId,
    provider,
  ]);
}

export async function listProviderKeys(reader: Reader, tenantId: string): Promise<ProviderKeyRow[]> {
  return reader.all<ProviderKeyRow>('SELECT * FROM providerKeys WHERE tenantId = ? ORDER BY createdAt DESC, id DESC', [
    tenantId,
  ]);
}

/** Replaces the existing key, if any. */
export async function replaceProviderKey(connection: Connection, row: ProviderKeyRow): Promise<void> {
  await deleteProviderKey(connection, row.tenantId, row.provider);
  await connection.run(
    `INSERT INTO providerKeys (tenantId, provider, id, version, sealed, last4, baseUrl, givenModels, namedModels, status,
       validatedAt, checkOutcome, checkMessage, checkedAt, createdAt, updatedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.tenantId,
      row.provider,
      row.id,
      row.version,
      row.sealed,
      row.last4,
      row.baseUrl,
      row.givenModels,
      row.namedModels,
      row.status,
      row.validatedAt,
      row.checkOutcome,
      row.checkMessage,
      row.checkedAt,
      row.createdAt,
      row.updatedAt,
    ],
  );
}

/** Records a check, unless the key was replaced since. */
export async function updateChecked(
  connection: Connection,
  { tenantId, provider, id, version }: ProviderKeyRow,
  checked: CheckedFields,
): Promise<void> {
  await connection.run(
    `UPDATE providerKeys SET namedModels = ?, status = ?, validatedAt = ?, checkOutcome = ?, checkMessage = ?,
       checkedAt = ?
     WHERE tenantId = ? AND provider = ? AND id = ? AND version = ?`,
    [
      checked.namedModels,
      checked.status,
      checked.validatedAt,
      checked.checkOutcome,
      checked.checkMessage,
      checked.checkedAt,
      tenantId,
      provider,
      id,
      version,
    ],
  );
}

export async function deleteProviderKey(connection: Connection, tenantId: string, provider: string): Promise<void> {
  await connection.run('DELETE FROM providerKeys WHERE tenantId = ? AND provider = ?', [tenantId, provider]);
}
