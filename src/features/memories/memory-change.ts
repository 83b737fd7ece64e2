import { AppError } from '../../contract/errors.ts';
import type { MemoryChange } from '../../contract/memories.ts';
import type { Connection } from '../../db/connection.ts';
import { type PreparedTerms, requireTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import { deleteTags, findSameContent, insertMemories, insertTags, updateReplaced } from './memories-store.ts';
import {
  contentHashOf,
  derivedOf,
  hasExpired,
  type MemoryRow,
  memoryCodec,
  type NewMemoryRow,
  textEntryOf,
  textsOf,
} from './memory-row.ts';

interface Parts {
  text: TextIndex;
  terms: PreparedTerms;
  /** Erases a memory in the caller's transaction. */
  eraseOne(connection: Connection, tenantId: string, id: string): Promise<void>;
}

/**
 * Adds a version with the change applied and keeps the previous one as history. A change without effect adds no version.
 * Throws `conflict` if the memory is superseded or another memory already has the new content, and `TermsMissing`.
 */
export async function changeMemory(
  connection: Connection,
  { text, terms, eraseOne }: Parts,
  row: MemoryRow,
  change: MemoryChange,
  nowMs: number,
): Promise<NewMemoryRow> {
  if (row.validTo !== null) {
    throw new AppError('conflict', 'This memory is superseded. Change the memory that superseded it instead.');
  }
  const next = nextVersion(row, change, nowMs);
  if (next === undefined) return row;
  requireTerms(terms, [textsOf(row), textsOf(next)]);
  const [same] = await findSameContent(connection, [next]);
  if (same && same.id !== row.id) {
    if (!hasExpired(same, nowMs))
      throw new AppError('conflict', 'Another memory of this user already has this content.');
    await eraseOne(connection, same.tenantId, same.id);
  }
  await updateReplaced(connection, row.tenantId, row.number, next.validFrom);
  const numbers = await insertMemories(connection, [next]);
  const tags = JSON.parse(next.tags) as string[];
  await text.remove(connection, [row.number]);
  const entries = [textEntryOf(row, 'past'), textEntryOf({ ...next, number: numbers.get(next.id)! }, 'live')];
  await text.insert(connection, entries, terms);
  await deleteTags(connection, row.tenantId, row.id);
  await insertTags(
    connection,
    tags.map((tag) => ({ tenantId: row.tenantId, tag, memoryId: row.id })),
  );
  return next;
}

function nextVersion(row: MemoryRow, change: MemoryChange, nowMs: number): NewMemoryRow | undefined {
  const changed = memoryCodec.changed(row, change);
  if (changed === undefined) return undefined;
  const { number: _, ...fields } = changed;
  return {
    ...fields,
    contentHash: contentHashOf(fields.content),
    ...derivedOf(fields.content, fields.occurredAt, row.createdAt),
    version: row.version + 1,
    validFrom: Math.max(nowMs, row.validFrom),
    updatedAt: Math.max(nowMs, row.updatedAt),
  };
}
