import type { SuggestionKind, SuggestionMode } from '../../contract/suggestion-names.ts';
import type { Connection, Reader } from '../../db/connection.ts';

/** What happens with suggestions of a kind. */
export interface SuggestionSettingRow {
  tenantId: string;
  kind: SuggestionKind;
  mode: SuggestionMode;
  minConfidence: number;
}

/** Lists what a tenant has set. */
export async function listSettings(reader: Reader, tenantId: string): Promise<SuggestionSettingRow[]> {
  return reader.all('SELECT tenantId, kind, mode, minConfidence FROM suggestionSettings WHERE tenantId = ?', [
    tenantId,
  ]);
}

/** Sets what happens with a kind. */
export async function upsertSetting(connection: Connection, row: SuggestionSettingRow): Promise<void> {
  await connection.run(
    `INSERT INTO suggestionSettings (tenantId, kind, mode, minConfidence) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenantId, kind) DO UPDATE SET mode = excluded.mode, minConfidence = excluded.minConfidence`,
    [row.tenantId, row.kind, row.mode, row.minConfidence],
  );
}

/** Deletes what a tenant has set. */
export async function deleteSettings(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM suggestionSettings WHERE tenantId = ?', [tenantId]);
}

/** Lists the kinds that are decided automatically, of all tenants, after one. */
export async function listAutomatic(
  reader: Reader,
  after: Pick<SuggestionSettingRow, 'tenantId' | 'kind'> | undefined,
  limit: number,
): Promise<SuggestionSettingRow[]> {
  return reader.all(
    `SELECT tenantId, kind, mode, minConfidence FROM suggestionSettings
     WHERE (tenantId, kind) > (?, ?) AND mode = 'automatic' ORDER BY tenantId, kind LIMIT ?`,
    [after?.tenantId ?? '', after?.kind ?? '', limit],
  );
}

/** When decisions on a kind were undone since a time, whoever suggests the same now, the last first. */
export async function listUndone(
  reader: Reader,
  { tenantId, kind, sinceMs, limit }: { tenantId: string; kind: SuggestionKind; sinceMs: number; limit: number },
): Promise<{ undoneAt: number }[]> {
  return reader.all(
    `SELECT undoneAt FROM suggestions WHERE tenantId = ? AND kind = ? AND undoneAt > ?
     ORDER BY undoneAt DESC LIMIT ?`,
    [tenantId, kind, sinceMs, limit],
  );
}

/** Lists open suggestions of the rules that were never decided, the oldest first, after an id. */
export async function listUndecided(
  reader: Reader,
  {
    tenantId,
    kind,
    minConfidence,
    afterId,
    limit,
  }: Omit<SuggestionSettingRow, 'mode'> & { afterId: string; limit: number },
): Promise<{ id: string; endUser: string; memoryIds: string }[]> {
  return reader.all(
    `SELECT id, endUser, memoryIds FROM suggestions WHERE tenantId = ? AND state = 'open' AND kind = ?
     AND suggester = 'rules' AND confidence >= ? AND undoneAt IS NULL AND id > ? ORDER BY id LIMIT ?`,
    [tenantId, kind, minConfidence, afterId, limit],
  );
}

/** The memories of a user's suggestions that were decided by someone since a time: a JSON list for each suggestion. */
export async function listDecided(
  reader: Reader,
  { tenantId, endUser, decidedBy, sinceMs }: { tenantId: string; endUser: string; decidedBy: string; sinceMs: number },
): Promise<{ memoryIds: string }[]> {
  return reader.all(
    `SELECT memoryIds FROM suggestions WHERE tenantId = ? AND state = 'accepted' AND endUser = ? AND decidedBy = ?
     AND decidedAt > ?`,
    [tenantId, endUser, decidedBy, sinceMs],
  );
}

/** Counts the memories of a user, at most `limit`. */
export async function countMemoriesUpTo(
  reader: Reader,
  { tenantId, endUser }: { tenantId: string; endUser: string },
  limit: number,
): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM
       (SELECT 1 AS one FROM memories WHERE tenantId = ? AND endUser = ? AND current = 1 LIMIT ?) m`,
    [tenantId, endUser, limit],
  );
  return row!.count;
}
