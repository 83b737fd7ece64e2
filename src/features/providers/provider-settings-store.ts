import type { Provider } from '../../contract/providers.ts';
import type { TidySchedule } from '../../contract/tidy-schedules.ts';
import type { Connection, Reader } from '../../db/connection.ts';

export interface ProviderSettingsRow {
  tenantId: string;
  embeddingProvider: Provider | null;
  embeddingModel: string | null;
  extractionProvider: Provider | null;
  extractionModel: string | null;
  onAppend: number;
  dailyTokens: number | null;
  inputPrice: number | null;
  outputPrice: number | null;
  dailySpend: number | null;
  tidySchedule: TidySchedule;
  updatedAt: number;
}

export async function findSettings(reader: Reader, tenantId: string): Promise<ProviderSettingsRow | undefined> {
  return reader.get<ProviderSettingsRow>('SELECT * FROM providerSettings WHERE tenantId = ?', [tenantId]);
}

/** Filters the tenants that have extraction on append enabled. */
export async function listOnAppend(reader: Reader, tenantIds: readonly string[]): Promise<string[]> {
  const rows = await reader.all<{ tenantId: string }>(
    'SELECT s.tenantId FROM texts(?) t CROSS JOIN providerSettings s ON s.tenantId = t.value WHERE s.onAppend = 1',
    [JSON.stringify(tenantIds)],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** Lists the tenants whose memories are tidied by schedule, after one in the order of their ids. */
export async function listTidySchedules(
  reader: Reader,
  afterTenant: string,
  limit: number,
): Promise<{ tenantId: string; tidySchedule: TidySchedule }[]> {
  return reader.all(
    `SELECT tenantId, tidySchedule FROM providerSettings WHERE tenantId > ? AND tidySchedule <> 'off'
     ORDER BY tenantId LIMIT ?`,
    [afterTenant, limit],
  );
}

export async function replaceSettings(connection: Connection, row: ProviderSettingsRow): Promise<void> {
  await connection.run(
    `INSERT INTO providerSettings (tenantId, embeddingProvider, embeddingModel, extractionProvider, extractionModel,
       onAppend, dailyTokens, inputPrice, outputPrice, dailySpend, tidySchedule, updatedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenantId) DO UPDATE SET embeddingProvider = excluded.embeddingProvider,
       embeddingModel = excluded.embeddingModel, extractionProvider = excluded.extractionProvider,
       extractionModel = excluded.extractionModel, onAppend = excluded.onAppend, dailyTokens = excluded.dailyTokens,
       inputPrice = excluded.inputPrice, outputPrice = excluded.outputPrice, dailySpend = excluded.dailySpend,
       tidySchedule = excluded.tidySchedule, updatedAt = excluded.updatedAt`,
    [
      row.tenantId,
      row.embeddingProvider,
      row.embeddingModel,
      row.extractionProvider,
      row.extractionModel,
      row.onAppend,
      row.dailyTokens,
      row.inputPrice,
      row.outputPrice,
      row.dailySpend,
      row.tidySchedule,
      row.updatedAt,
    ],
  );
}

export async function deleteSettings(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM providerSettings WHERE tenantId = ?', [tenantId]);
}
