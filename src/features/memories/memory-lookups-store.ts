import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows } from '../../db/values.ts';
import { type NewMemoryRow, sourceIdsIn, tagsIn } from './memory-row.ts';

/** Makes memories findable by their tags and sources. */
export async function insertLookups(
  connection: Connection,
  rows: readonly Pick<NewMemoryRow, 'tenantId' | 'id' | 'tags' | 'source'>[],
): Promise<void> {
  // A memory has up to 64 tags: those of 500 memories are not listed at once.
  for (let start = 0; start < rows.length; start += 64) {
    await insertRows(
      connection,
      'INSERT INTO memoryTags (tenantId, tag, memoryId)',
      rows.slice(start, start + 64).flatMap(({ tenantId, id, tags }) => tagsIn(tags).map((tag) => [tenantId, tag, id])),
      'ON CONFLICT DO NOTHING',
    );
  }
  await insertRows(
    connection,
    'INSERT INTO memorySources (tenantId, sourceId, memoryId)',
    rows.flatMap(({ tenantId, id, source }) => sourceIdsIn(source).map((sourceId) => [tenantId, sourceId, id])),
    'ON CONFLICT DO NOTHING',
  );
}

/** How often the memories of a source were superseded, at most, one by the next. */
const MAX_SUCCESSIONS = 50;

/**
 * Lists what became of the memories that come from some sources: those that say what the source does (`holds`), those that
 * were corrected since a model extracted them, hold no longer or were deleted, and the last of those that superseded them.
 */
export async function listHolding(
  reader: Reader,
  tenantId: string,
  sourceIds: readonly string[],
): Promise<{ sourceId: string; memoryId: string; holds: boolean }[]> {
  const rows = await reader.all<{ sourceId: string; memoryId: string; changes: number }>(
    `WITH RECURSIVE citing (sourceId, memoryId, supersededBy, successions, changes) AS (
       SELECT s.sourceId, s.memoryId, m.supersededBy, 0, CASE
           WHEN m.id IS NULL OR m.validTo IS NOT NULL THEN 1
           WHEN m.origin = 'extraction' THEN 0
           WHEN EXISTS (SELECT 1 FROM memories v
             WHERE v.tenantId = ? AND v.id = m.id AND v.current = 0 AND v.origin = 'extraction') THEN 1
           ELSE 0 END
         FROM memorySources s LEFT JOIN memories m ON m.tenantId = s.tenantId AND m.id = s.memoryId AND m.current = 1
        WHERE s.tenantId = ? AND s.sourceId IN (SELECT value FROM texts(?))
       UNION ALL
       SELECT c.sourceId, m.id, m.supersededBy, c.successions + 1, 1 FROM citing c
         JOIN memories m ON m.tenantId = ? AND m.id = c.supersededBy AND m.current = 1
        WHERE c.successions < ${MAX_SUCCESSIONS})
     SELECT sourceId, memoryId, changes FROM citing WHERE supersededBy IS NULL`,
    [tenantId, tenantId, JSON.stringify(sourceIds), tenantId],
  );
  return rows.map(({ sourceId, memoryId, changes }) => ({ sourceId, memoryId, holds: changes === 0 }));
}

/**
 * Deletes the tags of a memory that is deleted, and its sources but for messages and conversations that are still there: what
 * somebody deleted is not to be recalled from where it was said.
 */
export async function leaveSources(
  connection: Connection,
  { tenantId, id }: { tenantId: string; id: string },
  sourceIds: readonly string[],
): Promise<void> {
  await connection.run('DELETE FROM memoryTags WHERE tenantId = ? AND memoryId = ?', [tenantId, id]);
  if (sourceIds.length === 0) return;
  await connection.run(
    `DELETE FROM memorySources WHERE tenantId = ? AND sourceId IN (SELECT value FROM texts(?)) AND memoryId = ?
       AND NOT EXISTS (SELECT 1 FROM messages g WHERE g.tenantId = ? AND g.id = memorySources.sourceId)
       AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.tenantId = ? AND c.id = memorySources.sourceId)`,
    [tenantId, JSON.stringify(sourceIds), id, tenantId, tenantId],
  );
}

/** Deletes what deleted memories left of some messages, or of a conversation and its messages. */
export async function deleteLeft(
  connection: Connection,
  tenantId: string,
  sourceIds: readonly string[],
): Promise<void> {
  const left = await connection.all<{ memoryId: string }>(
    `SELECT s.memoryId FROM memorySources s LEFT JOIN memories m ON m.tenantId = ? AND m.id = s.memoryId
     WHERE s.tenantId = ? AND s.sourceId IN (SELECT value FROM texts(?)) AND m.id IS NULL`,
    [tenantId, tenantId, JSON.stringify(sourceIds)],
  );
  if (left.length === 0) return;
  // They have no tags any more.
  await deleteLookups(connection, tenantId, [...new Set(left.map(({ memoryId }) => memoryId))]);
}

/** Deletes the tags and sources of memories. */
export async function deleteLookups(connection: Connection, tenantId: string, ids: readonly string[]): Promise<void> {
  for (const table of ['memoryTags', 'memorySources']) {
    await connection.run(`DELETE FROM ${table} WHERE tenantId = ? AND memoryId IN (SELECT value FROM texts(?))`, [
      tenantId,
      JSON.stringify(ids),
    ]);
  }
}

/** Deletes the tags, sources and uses of all memories of a tenant. */
export async function deleteAllLookupsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM memoryTags WHERE tenantId = ?', [tenantId]);
  await connection.run('DELETE FROM memorySources WHERE tenantId = ?', [tenantId]);
  await connection.run('DELETE FROM memoryUses WHERE tenantId = ?', [tenantId]);
}
