import type { Origin } from '../../contract/origin.ts';
import type { ProjectFilter } from '../../contract/project.ts';
import type { Reader, Value } from '../../db/connection.ts';
import { projectConditions } from '../../db/values.ts';

/** Whose knowledge to read, and the current time. */
export interface Place {
  tenantId: string;
  endUser: string;
  project: ProjectFilter | undefined;
  nowMs: number;
}

/** A memory or a message; `content` is cut off. */
export interface StoredText {
  id: string;
  content: string;
  project: string | null;
  at: number;
  /** The member of the space who wrote it. */
  author?: string | null;
}

export interface StoredMemory extends StoredText {
  /** 1 if pinned. */
  pinned: number;
  origin: Origin | null;
}

interface ListedMemory extends StoredMemory {
  expiresAt: number | null;
}

/** An episode; `summary` is its outcome where it has one, and cut off. */
export interface StoredEpisode {
  id: string;
  conversationId: string | null;
  title: string;
  summary: string;
  at: number;
}

/** A conversation with the place of its last message. */
export interface ConversationEnd {
  id: string;
  project: string | null;
  number: number;
  lastOrdinal: number;
}

/** Characters of a text that are read. */
const CHARACTERS = 2000;
/** Rows among which those of no project are looked for. */
const NEWEST = 1000;

/** Lists valid memories: pinned ones, those of the project, then others; each newest first. */
export async function listMemories(reader: Reader, place: Place, limit: number): Promise<StoredMemory[]> {
  const { tenantId, endUser, project, nowMs } = place;
  const columns = `id, SUBSTR(content, 1, ${CHARACTERS}) AS content, project, COALESCE(saidAt, occurredAt, createdAt) AS at, pinned,
    origin, author, expiresAt`;
  const conditions = projectConditions(project, 'project');
  const pinned = await reader.all<ListedMemory>(
    `SELECT ${columns} FROM memories WHERE tenantId = ? AND endUser = ? AND pinned = 1 AND current = 1 AND validTo IS NULL
       ${conditions.map(([condition]) => `AND ${condition}`).join(' ')} ORDER BY id DESC LIMIT ?`,
    [tenantId, endUser, ...conditions.map(([, value]) => value), limit],
  );
  const others = await listNewest<ListedMemory>(
    reader,
    { columns, from: 'memories', where: 'pinned = 0 AND current = 1 AND validTo IS NULL' },
    place,
    limit,
  );
  return [...pinned, ...others].filter(({ expiresAt }) => expiresAt === null || expiresAt > nowMs);
}

/** Lists the newest conversations, those of the project first. */
export async function listConversationEnds(reader: Reader, place: Place, limit: number): Promise<ConversationEnd[]> {
  const rows = { columns: 'id, project, number, lastOrdinal', from: 'conversations', where: 'erasedAt IS NULL' };
  return listNewest(reader, rows, place, limit);
}

/** Lists the newest episodes of the project, with their summaries. */
export async function listEpisodes(
  reader: Reader,
  { tenantId, endUser, project }: Place,
  limit: number,
): Promise<StoredEpisode[]> {
  if (project === undefined) return [];
  return reader.all(
    `SELECT id, conversationId, title, SUBSTR(COALESCE(outcome, summary, ''), 1, ${CHARACTERS}) AS summary, endedAt AS at
     FROM episodes WHERE tenantId = ? AND project = ? AND (endUser = ?) IS TRUE ORDER BY id DESC LIMIT ?`,
    [tenantId, project.name, endUser, limit],
  );
}

/** Finds the messages of users among rows, oldest first. */
export async function findUserMessages(
  reader: Reader,
  tenantId: string,
  rowIds: readonly number[],
): Promise<(Omit<StoredText, 'project'> & { conversationId: string })[]> {
  if (rowIds.length === 0) return [];
  return reader.all(
    `SELECT id, conversationId, SUBSTR(content, 1, ${CHARACTERS}) AS content, createdAt AS at, author FROM messages
     WHERE number IN (SELECT value FROM numbers(?)) AND (tenantId = ?) IS TRUE AND role = 'user' ORDER BY number`,
    [JSON.stringify(rowIds), tenantId],
  );
}

/** Reads rows of a user newest first: those of the project by its index, then those of none among the newest of all. */
async function listNewest<Row extends { project: string | null }>(
  reader: Reader,
  { columns, from, where }: { columns: string; from: string; where: string },
  { tenantId, endUser, project }: Place,
  limit: number,
): Promise<Row[]> {
  const newest = (conditions: string, values: Value[], rows: number) =>
    reader.all<Row>(`SELECT ${columns} FROM ${from} WHERE ${conditions} AND ${where} ORDER BY id DESC LIMIT ?`, [
      ...values,
      rows,
    ]);
  const ofUser = 'tenantId = ? AND endUser = ?';
  if (project === undefined) return newest(ofUser, [tenantId, endUser], limit);
  const [own, all] = await Promise.all([
    newest('tenantId = ? AND project = ? AND (endUser = ?) IS TRUE', [tenantId, project.name, endUser], limit),
    project.only ? [] : newest(ofUser, [tenantId, endUser], NEWEST),
  ]);
  return [...own, ...all.filter((row) => row.project === null)].slice(0, limit);
}
