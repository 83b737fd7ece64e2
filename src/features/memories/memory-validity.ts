import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import { type PreparedTerms, requireTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { findMemory, updateReopened, updateSuperseded } from './memories-store.ts';
import { othersLike } from './memory-change.ts';
import { hasExpired, type MemoryRow, textEntryOf, textsOf } from './memory-row.ts';

interface Parts {
  text: TextIndex;
  terms: PreparedTerms;
  /** Erases a memory in the caller's transaction. */
  eraseOne(connection: Connection, tenantId: string, id: string): Promise<void>;
}

/** When a memory stops being valid, and the one that takes its place, if any. */
export interface Closing {
  tenantId: string;
  id: string;
  validTo: number;
  supersededBy: string | null;
}

/** How far the clock of a caller may be ahead of the daemon's. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Marks a current memory as outdated since `validTo` without a successor, or one so marked as current with `null`, and returns it. A
 * time before svc knew the memory becomes that time. Throws `invalid_request` for a time in the future, `conflict` for a
 * memory that is outdated already or that another one replaced, and `TermsMissing`.
 */
export async function changeValidity(
  connection: Connection,
  parts: Parts,
  row: MemoryRow,
  validTo: number | null,
  nowMs: number,
): Promise<MemoryRow> {
  const { tenantId, id } = row;
  if (row.supersededBy !== null) {
    throw new AppError('conflict', `The memory ${row.supersededBy} replaced this one. Change that one instead.`);
  }
  if (validTo === null) return row.validTo === null ? row : reopenMemory(connection, parts, row, nowMs);
  if (row.validTo !== null) throw new AppError('conflict', 'This memory is outdated already.');
  if (validTo > nowMs + MAX_AHEAD_MS) {
    const errors = [{ path: '/validTo', message: 'is in the future' }];
    throw new AppError('invalid_request', 'validTo is in the future. To forget a memory later, set expiresAt.', {
      errors,
    });
  }
  const end = Math.max(row.validFrom, Math.min(validTo, nowMs));
  requireTerms(parts.terms, [textsOf(row)]);
  return closeMemory(connection, parts, { tenantId, id, validTo: end, supersededBy: null }, nowMs);
}

/** Ends the validity of a current memory, and returns it: searches of the past still find it. */
export async function closeMemory(
  connection: Connection,
  { text, terms }: Pick<Parts, 'text' | 'terms'>,
  closing: Closing,
  nowMs: number,
): Promise<MemoryRow> {
  await updateSuperseded(connection, { ...closing, nowMs });
  const row = (await findMemory(connection, closing.tenantId, closing.id))!;
  await text.remove(connection, [row]);
  await text.insert(connection, [textEntryOf(row, 'past')], terms);
  return row;
}

/**
 * Makes a closed memory valid again as it was, and returns it. Erases expired memories of the user with its content or external id; throws
 * `conflict` if one has not expired, and `TermsMissing`.
 */
export async function reopenMemory(
  connection: Connection,
  { text, terms, eraseOne }: Parts,
  row: MemoryRow,
  nowMs: number,
): Promise<MemoryRow> {
  requireTerms(terms, [textsOf(row)]);
  for (const other of await othersLike(connection, row)) {
    if (!hasExpired(other, nowMs)) {
      throw new AppError('conflict', `The memory ${other.id} has the content or external id of ${row.id} now.`);
    }
    await eraseOne(connection, other.tenantId, other.id);
  }
  await updateReopened(connection, { tenantId: row.tenantId, id: row.id, nowMs });
  await text.remove(connection, [row]);
  await text.insert(connection, [textEntryOf(row, 'live')], terms);
  return { ...row, validTo: null, supersededBy: null, updatedAt: nowMs };
}
