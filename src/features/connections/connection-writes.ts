import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import {
  deleteConnections,
  insertConnection,
  insertEndedDevices,
  listAllBut,
  type NewConnection,
} from './connections-store.ts';
import { deleteTicketsOf } from './tickets-store.ts';

/**
 * Per account, kind and opener; one more ends the least recently used connection. A device can thus end only browsers that
 * it opened.
 */
const MAX_OF_KIND = 50;

/** Adds a connection in the caller's transaction. Throws `gone` if the account is being erased. */
export async function addConnection(connection: Connection, row: NewConnection): Promise<void> {
  const { tenantId, kind, openedBy, createdAt } = row;
  if (!(await insertConnection(connection, row))) throw new AppError('gone', 'This account is being erased.');
  const unused = await listAllBut(connection, { tenantId, kind, openedBy, count: MAX_OF_KIND });
  if (unused.length > 0) await endConnections(connection, { tenantId, ids: unused, nowMs: createdAt });
}

/**
 * Ends connections, those that they opened and the tickets that they may have made. For 30 days, a 401 tells devices so.
 */
export async function endConnections(
  connection: Connection,
  { tenantId, ids, nowMs }: { tenantId: string; ids: readonly string[]; nowMs: number },
): Promise<void> {
  await insertEndedDevices(connection, tenantId, ids, nowMs);
  await deleteConnections(connection, tenantId, ids);
  await deleteTicketsOf(connection, tenantId);
}
