import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import { type PreparedTerms, requireTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { findByExternalId, findSameContent, insertMemories, updateReplaced } from './memories-store.ts';
import { deleteLookups, insertLookups } from './memory-lookups-store.ts';
import { hasExpired, type MemoryRow, type NewMemoryRow, nextVersionOf, textEntryOf, textsOf } from './memory-row.ts';

interface Parts {
  text: TextIndex;
  terms: PreparedTerms;
  /** Erases a memory in the caller's transaction. */
  eraseOne(connection: Connection, tenantId: string, id: string): Promise<void>;
}

/**
 * Adds the changed row as a version and keeps the previous one as history. `undefined` adds no version. Throws `conflict`
 * if the memory is superseded or another memory already has the new content or external id, and `TermsMissing`.
 */
export async function changeMemory(
  connection: Connection,
  { text, terms, eraseOne }: Parts,
  row: MemoryRow,
  changed: MemoryRow | undefined,
  nowMs: number,
): Promise<NewMemoryRow> {
  if (row.validTo !== null) {
    throw new AppError('conflict', 'This memory is superseded. Change the memory that superseded it instead.');
  }
  if (changed === undefined) return row;
  const { number: _, ...fields } = changed;
  const next = nextVersionOf(fields, nowMs);
  requireTerms(terms, [textsOf(row), textsOf(next)]);
  for (const other of await othersLike(connection, next)) {
    if (!hasExpired(other, nowMs)) throw conflictWith(other, next);
    await eraseOne(connection, other.tenantId, other.id);
  }
  await storeVersion(connection, { text, terms }, row, next);
  return next;
}

/** Stores a version in place of the current one. */
export async function storeVersion(
  connection: Connection,
  { text, terms }: Pick<Parts, 'text' | 'terms'>,
  row: MemoryRow,
  next: NewMemoryRow,
): Promise<void> {
  await updateReplaced(connection, row.tenantId, row.number, next.validFrom);
  const numbers = await insertMemories(connection, [next]);
  await text.remove(connection, [row]);
  const entries = [textEntryOf(row, 'past'), textEntryOf({ ...next, number: numbers.get(next.id)! }, 'live')];
  await text.insert(connection, entries, terms);
  await deleteLookups(connection, row.tenantId, [row.id]);
  await insertLookups(connection, [next]);
}

/** The other valid memories of the user with the same content or external id. */
export async function othersLike(connection: Connection, next: NewMemoryRow): Promise<MemoryRow[]> {
  const { tenantId, endUser, externalId } = next;
  const keys = externalId === null ? [] : [{ tenantId, endUser, externalId }];
  const found = [...(await findSameContent(connection, [next])), ...(await findByExternalId(connection, keys))];
  return [...new Map(found.map((row) => [row.id, row])).values()].filter(({ id }) => id !== next.id);
}

function conflictWith(other: NewMemoryRow, next: NewMemoryRow): AppError {
  if (other.contentHash !== next.contentHash) return externalIdTaken(other);
  return new AppError('conflict', `Another memory of this user already has this content: ${other.id}.`);
}

/** The error for an external id that another memory of the user has. */
export function externalIdTaken({ id, externalId }: Pick<NewMemoryRow, 'id' | 'externalId'>): AppError {
  const message = `The memory ${id} of this user already has the external id ${JSON.stringify(externalId)}.`;
  return new AppError('conflict', `${message} Change that one, or replace it with PUT.`);
}
