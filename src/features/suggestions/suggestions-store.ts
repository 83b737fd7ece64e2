import type { ProjectFilter } from '../../contract/project.ts';
import type { Suggester, SuggestionKind, SuggestionState } from '../../contract/suggestion-names.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { columnNames, insertRows, valuesOf } from '../../db/values.ts';

/** A stored suggestion; times are epoch milliseconds. */
export interface SuggestionRow {
  tenantId: string;
  id: string;
  /** Identifies what is suggested by the texts that it is about. */
  textsHash: string;
  endUser: string;
  project: string | null;
  kind: SuggestionKind;
  state: SuggestionState;
  /** JSON: the ids of the memories, oldest first. */
  memoryIds: string;
  content: string | null;
  validFrom: number | null;
  /** JSON: ids of memories and messages with their words. */
  evidence: string;
  reason: string;
  confidence: number;
  suggester: Suggester;
  suggesterName: string | null;
  createdAt: number;
  decidedAt: number | null;
  decidedBy: string | null;
  undoneAt: number | null;
  /** JSON: what accepting changed; null if nothing is to be undone. */
  applied: string | null;
}

const COLUMNS = columnNames<SuggestionRow>({
  ...{ tenantId: true, id: true, textsHash: true, endUser: true, project: true, kind: true, state: true },
  ...{ memoryIds: true, content: true, validFrom: true, evidence: true, reason: true, confidence: true },
  ...{ suggester: true, suggesterName: true, createdAt: true, decidedAt: true, decidedBy: true, undoneAt: true },
  applied: true,
});
const COLUMN_LIST = COLUMNS.join(', ');

/** Inserts suggestions; one that was made before is left unchanged, unless it is outdated: then it is open again. */
export async function insertSuggestions(connection: Connection, rows: readonly SuggestionRow[]): Promise<void> {
  await insertRows(
    connection,
    `INSERT INTO suggestions (${COLUMN_LIST})`,
    rows.map((row) => valuesOf(row, COLUMNS)),
    `ON CONFLICT (tenantId, textsHash) DO UPDATE
       SET state = 'open', createdAt = excluded.createdAt, memoryIds = excluded.memoryIds, evidence = excluded.evidence,
         project = excluded.project, content = excluded.content, validFrom = excluded.validFrom, reason = excluded.reason,
         confidence = excluded.confidence, suggester = excluded.suggester, suggesterName = excluded.suggesterName
       WHERE suggestions.state = 'outdated' RETURNING id`,
  );
}

/** Links suggestions to the memories and messages that they are about. */
export async function insertItems(
  connection: Connection,
  links: readonly { tenantId: string; itemId: string; suggestionId: string }[],
): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO suggestionItems (tenantId, itemId, suggestionId)',
    links.map(({ tenantId, itemId, suggestionId }) => [tenantId, itemId, suggestionId]),
    'ON CONFLICT DO NOTHING',
  );
}

/** Removes the links of a suggestion to all but some items. */
export async function deleteOtherItems(
  connection: Connection,
  { tenantId, id }: Pick<SuggestionRow, 'tenantId' | 'id'>,
  itemIds: readonly string[],
): Promise<void> {
  await connection.run(
    `DELETE FROM suggestionItems WHERE tenantId = ? AND suggestionId = ?
       AND itemId NOT IN (SELECT value FROM texts(?))`,
    [tenantId, id, JSON.stringify(itemIds)],
  );
}

/** An addition whose texts were erased with the memory is kept for its digest alone, so that it is not suggested again. */
const STANDS = `(content IS NOT NULL OR kind <> 'add')`;

/** Finds a suggestion by its id. */
export async function findSuggestion(reader: Reader, tenantId: string, id: string): Promise<SuggestionRow | undefined> {
  return reader.get(`SELECT ${COLUMN_LIST} FROM suggestions WHERE tenantId = ? AND id = ? AND ${STANDS}`, [
    tenantId,
    id,
  ]);
}

/** Finds what was suggested before, by `textsHash`. */
export async function findSuggested(
  reader: Reader,
  tenantId: string,
  textsHashes: readonly string[],
): Promise<SuggestionRow[]> {
  const columns = COLUMNS.map((column) => `s.${column}`).join(', ');
  return reader.all(
    `SELECT ${columns} FROM texts(?) t CROSS JOIN suggestions s ON s.tenantId = ? AND s.textsHash = t.value`,
    [JSON.stringify(textsHashes), tenantId],
  );
}

/** Finds suggestions by their ids. */
export async function findSuggestionsById(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<SuggestionRow[]> {
  const columns = COLUMNS.map((column) => `s.${column}`).join(', ');
  return reader.all(`SELECT ${columns} FROM texts(?) t CROSS JOIN suggestions s ON s.tenantId = ? AND s.id = t.value`, [
    JSON.stringify(ids),
    tenantId,
  ]);
}

/**
 * Lists suggestions that are open or decided and have their texts, of all users unless one is given, in the order of ids
 * after one.
 */
export async function listDecidable(
  reader: Reader,
  { tenantId, user, afterId, limit }: { tenantId: string; user: string | undefined; afterId: string; limit: number },
): Promise<SuggestionRow[]> {
  return reader.all(
    `SELECT ${COLUMN_LIST} FROM suggestions WHERE tenantId = ? AND id > ? AND state <> 'outdated'
       AND (content IS NOT NULL OR kind NOT IN ('add', 'split'))
       ${user === undefined ? '' : 'AND endUser = ?'} ORDER BY id LIMIT ?`,
    [tenantId, afterId, ...(user === undefined ? [] : [user]), limit],
  );
}

export interface SuggestionFilter {
  tenantId: string;
  user?: string | undefined;
  project?: ProjectFilter | undefined;
  kind?: SuggestionKind | undefined;
  state?: SuggestionState | undefined;
  by?: Suggester | undefined;
}

/** Lists suggestions, newest first, before an id. */
export async function listSuggestions(
  reader: Reader,
  { tenantId, ...filter }: SuggestionFilter,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<SuggestionRow[]> {
  const { project } = filter;
  const conditions: [string, string | undefined][] = [
    ['endUser = ?', filter.user],
    ['kind = ?', filter.kind],
    ['state = ?', filter.state],
    ['suggester = ?', filter.by],
    [project?.only ? 'project = ?' : '(project = ? OR project IS NULL)', project?.name],
    ['id < ?', beforeId],
  ];
  const given = conditions.filter(([, value]) => value !== undefined) as [string, string][];
  return reader.all(
    `SELECT ${COLUMN_LIST} FROM suggestions WHERE ${['tenantId = ?', STANDS, ...given.map(([sql]) => sql)].join(' AND ')}
     ORDER BY id DESC LIMIT ?`,
    [tenantId, ...given.map(([, value]) => value), limit],
  );
}

/** Counts open suggestions, at most `limit`. */
export async function countOpen(reader: Reader, tenantId: string, limit: number): Promise<number> {
  const row = await reader.get<{ open: number }>(
    `SELECT COUNT(*) AS open FROM (SELECT 1 AS one FROM suggestions WHERE tenantId = ? AND state = 'open' LIMIT ?) o`,
    [tenantId, limit],
  );
  return row!.open;
}

/** Changes the state of a suggestion and what goes with it. */
export async function updateDecision(
  connection: Connection,
  { tenantId, id, state, decidedAt, decidedBy, undoneAt, applied }: SuggestionRow,
): Promise<void> {
  await connection.run(
    `UPDATE suggestions SET state = ?, decidedAt = ?, decidedBy = ?, undoneAt = ?, applied = ?
     WHERE tenantId = ? AND id = ?`,
    [state, decidedAt, decidedBy, undoneAt, applied, tenantId, id],
  );
}

/**
 * Lists suggestions that a newer memory takes the place of one of these, open ones of the rules and rejected ones: their ids,
 * oldest first, as JSON; by when the newer one was said.
 */
export async function listPossibleSuccessors(
  reader: Reader,
  tenantId: string,
  memoryIds: readonly string[],
): Promise<{ memoryIds: string; state: 'open' | 'rejected' }[]> {
  return reader.all(
    `SELECT DISTINCT s.memoryIds, s.state, s.validFrom, s.id FROM texts(?) t
       CROSS JOIN suggestionItems i ON i.tenantId = ? AND i.itemId = t.value
       CROSS JOIN suggestions s ON s.tenantId = ? AND s.id = i.suggestionId
     WHERE s.kind = 'supersede' AND (s.state = 'rejected' OR s.state = 'open' AND s.suggester = 'rules')
     ORDER BY s.validFrom, s.id`,
    [JSON.stringify(memoryIds), tenantId, tenantId],
  );
}

/** Lists open suggestions about any of some memories and messages, newest first. */
export async function listOpenAbout(
  reader: Reader,
  tenantId: string,
  itemIds: readonly string[],
  limit: number,
): Promise<SuggestionRow[]> {
  return reader.all(
    `SELECT ${COLUMN_LIST} FROM suggestions WHERE tenantId = ? AND state = 'open' AND id IN
       (SELECT i.suggestionId FROM texts(?) t CROSS JOIN suggestionItems i ON i.tenantId = ? AND i.itemId = t.value)
     ORDER BY id DESC LIMIT ?`,
    [tenantId, JSON.stringify(itemIds), tenantId, limit],
  );
}

/** Makes open suggestions outdated that were made before a time. Returns how many. */
export async function outdateOld(connection: Connection, beforeMs: number, limit: number): Promise<number> {
  const { changes } = await connection.run(
    `UPDATE suggestions SET state = 'outdated' WHERE state = 'open' AND (tenantId, id) IN
       (SELECT tenantId, id FROM suggestions WHERE state = 'open' AND createdAt < ? LIMIT ?)`,
    [beforeMs, limit],
  );
  return changes;
}

/** Blanks the texts of suggestions about a memory that are not open. Returns their ids. */
export async function updateBlanked(connection: Connection, tenantId: string, memoryId: string): Promise<string[]> {
  const rows = await connection.all<{ id: string }>(
    `UPDATE suggestions SET content = NULL, evidence = '[]', reason = ''
     WHERE tenantId = ? AND state <> 'open' AND id IN
       (SELECT i.suggestionId FROM suggestionItems i WHERE i.tenantId = ? AND i.itemId = ?) RETURNING id`,
    [tenantId, tenantId, memoryId],
  );
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` suggestions of an owner that is being erased. Returns their ids. */
export async function deleteSomeOf(connection: Connection, owner: Owner, limit: number): Promise<string[]> {
  const own = erasedCondition(owner);
  const rows = await connection.all<{ id: string }>(`SELECT id FROM suggestions WHERE ${own.sql} LIMIT ?`, [
    ...own.values,
    limit,
  ]);
  const deleted = rows.map(({ id }) => id);
  const ids = JSON.stringify(deleted);
  const { tenantId } = owner;
  await connection.run(
    'DELETE FROM suggestionItems WHERE tenantId = ? AND suggestionId IN (SELECT value FROM texts(?))',
    [tenantId, ids],
  );
  await connection.run('DELETE FROM suggestions WHERE tenantId = ? AND id IN (SELECT value FROM texts(?))', [
    tenantId,
    ids,
  ]);
  return deleted;
}

/** Deletes what the suggestions of a tenant are about. */
export async function deleteItemsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM suggestionItems WHERE tenantId = ?', [tenantId]);
}
