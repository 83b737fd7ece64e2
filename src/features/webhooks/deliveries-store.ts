import type { DeliveryState } from '../../contract/webhooks.ts';
import { changeAuthor } from '../../db/change-author.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { ROW_IDS_PER_CONVERSATION } from '../conversations/message-row.ts';
import type { WebhookKey } from './webhooks-store.ts';

/** A stored delivery: ids only, the body is composed when it is sent. Times in epoch milliseconds. */
export interface DeliveryRow {
  tenantId: string;
  id: string;
  webhookId: string;
  /** Counts the deliveries of a webhook in the order of the changes. */
  number: number;
  /** Name of the event. */
  kind: string;
  itemId: string | null;
  /** The key of the user; its name is read when it is sent. */
  scope: number | null;
  /** When the change was made. */
  at: number;
  state: DeliveryState;
  attempts: number;
  status: number | null;
  error: string | null;
  createdAt: number;
  triedAt: number | null;
}

/** A delivery with the user that it belongs to, if that still exists, and who made the change. */
export type NamedDelivery = DeliveryRow & { endUser: string | null; author: string | null };

const COLUMNS = [
  ...(['tenantId', 'id', 'webhookId', 'number', 'kind', 'itemId', 'scope', 'at', 'state'] as const),
  ...(['attempts', 'status', 'error', 'createdAt', 'triedAt'] as const),
];

export async function insertDelivery(connection: Connection, row: DeliveryRow): Promise<void> {
  await connection.run(
    `INSERT INTO webhookDeliveries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
    COLUMNS.map((column) => row[column]),
  );
}

/** Records a try. */
export async function updateTried(
  connection: Connection,
  { tenantId, id, state, attempts, status, error, triedAt }: DeliveryRow,
): Promise<void> {
  await connection.run(
    `UPDATE webhookDeliveries SET state = ?, attempts = ?, status = ?, error = ?, triedAt = ? WHERE tenantId = ? AND id = ?`,
    [state, attempts, status, error, triedAt, tenantId, id],
  );
}

const NAMED = `SELECT d.*, s.endUser, ${changeAuthor('d', ROW_IDS_PER_CONVERSATION)} AS author FROM webhookDeliveries d
  LEFT JOIN scopes s ON s.tenantId = d.tenantId AND s.scope = d.scope`;

/** Finds the delivery that is to be sent next. */
export async function findNextDelivery(
  reader: Reader,
  { tenantId, id }: WebhookKey,
): Promise<NamedDelivery | undefined> {
  return reader.get<NamedDelivery>(
    `${NAMED} WHERE d.tenantId = ? AND d.webhookId = ? AND d.state = 'waiting' ORDER BY d.number LIMIT 1`,
    [tenantId, id],
  );
}

export async function findDelivery(
  reader: Reader,
  { tenantId, id }: WebhookKey,
  deliveryId: string,
): Promise<NamedDelivery | undefined> {
  return reader.get<NamedDelivery>(`${NAMED} WHERE d.tenantId = ? AND d.webhookId = ? AND d.id = ?`, [
    tenantId,
    id,
    deliveryId,
  ]);
}

/** Lists deliveries in some states before a number, the newest first. */
export async function listDeliveries(
  reader: Reader,
  { tenantId, id }: WebhookKey,
  { states, before, limit }: { states: readonly DeliveryState[]; before: number; limit: number },
): Promise<DeliveryRow[]> {
  return reader.all<DeliveryRow>(
    `SELECT d.* FROM webhookDeliveries d WHERE d.tenantId = ? AND d.webhookId = ? AND d.number < ?
       AND d.state IN (${states.map(() => '?').join(', ')}) ORDER BY d.number DESC LIMIT ?`,
    [tenantId, id, before, ...states, limit],
  );
}

/** Lists what all webhooks store in a state: when the oldest was tried or made, and up to which number there are too many. */
export async function listStored(
  reader: Reader,
  { state, maxStored }: { state: DeliveryState; maxStored: number },
): Promise<(WebhookKey & { oldestAt: number | null; through: number | null })[]> {
  const of = 'd.tenantId = w.tenantId AND d.webhookId = w.id AND d.state = ?';
  return reader.all(
    `SELECT w.tenantId, w.id,
       (SELECT COALESCE(d.triedAt, d.createdAt) FROM webhookDeliveries d WHERE ${of} ORDER BY d.number LIMIT 1) AS oldestAt,
       (SELECT d.number FROM webhookDeliveries d WHERE ${of} ORDER BY d.number DESC LIMIT 1 OFFSET ?) AS through
     FROM webhooks w`,
    [state, state, maxStored],
  );
}

/**
 * Deletes those of the `limit` oldest deliveries in a state that have a number up to `through`, or were tried before a time,
 * or made before it if they were never tried.
 */
export async function deleteSomeStored(
  connection: Connection,
  { tenantId, id }: WebhookKey,
  { state, through, beforeMs, limit }: { state: DeliveryState; through: number; beforeMs: number; limit: number },
): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM webhookDeliveries WHERE tenantId = ? AND webhookId = ? AND state = ? AND (number <= ? OR COALESCE(triedAt, createdAt) < ?)
       AND number IN (SELECT d.number FROM webhookDeliveries d
         WHERE d.tenantId = ? AND d.webhookId = ? AND d.state = ? ORDER BY d.number LIMIT ?)`,
    [tenantId, id, state, through, beforeMs, tenantId, id, state, limit],
  );
  return changes;
}

/** Deletes some deliveries of a webhook, or of all webhooks of a tenant. Returns how many. */
export async function deleteSomeDeliveries(
  connection: Connection,
  { tenantId, id }: { tenantId: string; id?: string },
  limit: number,
): Promise<number> {
  const ofWebhook = id === undefined ? '' : ' AND d.webhookId = ?';
  const { changes } = await connection.run(
    `DELETE FROM webhookDeliveries WHERE tenantId = ? AND id IN
       (SELECT d.id FROM webhookDeliveries d WHERE d.tenantId = ?${ofWebhook} LIMIT ?)`,
    [tenantId, tenantId, ...(id === undefined ? [] : [id]), limit],
  );
  return changes;
}
