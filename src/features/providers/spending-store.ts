import type { ModelDay } from '../../contract/account.ts';
import type { UsedTokens } from '../../contract/provider-settings.ts';
import type { Connection, Reader } from '../../db/connection.ts';

/** Purposes that tokens are spent on. */
export type Purpose = 'embedding' | 'extraction';

export async function findUsed(
  reader: Reader,
  { tenantId, day, purpose }: { tenantId: string; day: string; purpose: Purpose },
): Promise<UsedTokens> {
  const row = await reader.get<{ [K in keyof UsedTokens]: number | null }>(
    `SELECT SUM(requests) AS requests, SUM(inputTokens) AS inputTokens, SUM(outputTokens) AS outputTokens,
       SUM(spend) AS spend
     FROM providerUsage WHERE tenantId = ? AND day = ? AND purpose = ?`,
    [tenantId, day, purpose],
  );
  return {
    requests: row?.requests ?? 0,
    inputTokens: row?.inputTokens ?? 0,
    outputTokens: row?.outputTokens ?? 0,
    spend: row?.spend ?? 0,
  };
}

/** Returns spending by day, purpose and model, oldest first. */
export async function listUsed(reader: Reader, tenantId: string, fromDay: string): Promise<ModelDay[]> {
  return reader.all<ModelDay>(
    `SELECT day, purpose, provider, model, requests, inputTokens, outputTokens, spend FROM providerUsage
     WHERE tenantId = ? AND day >= ? ORDER BY day, purpose, provider, model`,
    [tenantId, fromDay],
  );
}

export interface UsageToAdd extends UsedTokens {
  tenantId: string;
  day: string;
  purpose: Purpose;
  provider: string;
  model: string;
}

export async function addUsed(connection: Connection, row: UsageToAdd): Promise<void> {
  await connection.run(
    `INSERT INTO providerUsage (tenantId, day, purpose, provider, model, requests, inputTokens, outputTokens, spend)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenantId, day, purpose, provider, model) DO UPDATE SET
       requests = providerUsage.requests + excluded.requests,
       inputTokens = providerUsage.inputTokens + excluded.inputTokens,
       outputTokens = providerUsage.outputTokens + excluded.outputTokens,
       spend = providerUsage.spend + excluded.spend`,
    [
      row.tenantId,
      row.day,
      row.purpose,
      row.provider,
      row.model,
      row.requests,
      row.inputTokens,
      row.outputTokens,
      row.spend,
    ],
  );
}

export async function deleteUsedOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM providerUsage WHERE tenantId = ?', [tenantId]);
}
