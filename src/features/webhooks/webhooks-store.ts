import type { Connection, Reader } from '../../db/connection.ts';

/** A stored webhook; times in epoch milliseconds. */
export interface WebhookRow {
  tenantId: string;
  id: string;
  url: string;
  /** JSON list; `null` for all. */
  events: string | null;
  endUser: string | null;
  active: number;
  /** Sealed. */
  secret: Buffer;
  formerSecret: Buffer | null;
  formerUntil: number | null;
  /** The position in the log of changes that deliveries were made up to. */
  readNumber: number;
  readAt: number;
  /** Number of the last delivery. */
  lastNumber: number;
  /** When to send the next waiting delivery; `null` if none waits. */
  dueAt: number | null;
  /** Until when a daemon sends the deliveries. */
  claimedUntil: number;
  /** Grows with every claim. */
  fence: number;
  lastDeliveredAt: number | null;
  lastFailedAt: number | null;
  lastError: string | null;
  createdAt: number;
  /** The member of the space who made it or switched it on; null elsewhere. */
  author: string | null;
}

/** Identifies a webhook. */
export type WebhookKey = Pick<WebhookRow, 'tenantId' | 'id'>;

const COLUMNS = [
  ...(['tenantId', 'id', 'url', 'events', 'endUser', 'active', 'secret', 'formerSecret', 'formerUntil'] as const),
  ...(['readNumber', 'readAt', 'lastNumber', 'dueAt', 'claimedUntil', 'fence'] as const),
  ...(['lastDeliveredAt', 'lastFailedAt', 'lastError', 'createdAt', 'author'] as const),
];

export async function findWebhook(reader: Reader, { tenantId, id }: WebhookKey): Promise<WebhookRow | undefined> {
  return reader.get<WebhookRow>('SELECT * FROM webhooks WHERE tenantId = ? AND id = ?', [tenantId, id]);
}

/** Lists the webhooks of a tenant, the newest first. */
export async function listWebhooks(reader: Reader, tenantId: string): Promise<WebhookRow[]> {
  return reader.all<WebhookRow>('SELECT * FROM webhooks WHERE tenantId = ? ORDER BY id DESC', [tenantId]);
}

export async function insertWebhook(connection: Connection, row: WebhookRow): Promise<void> {
  await connection.run(
    `INSERT INTO webhooks (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
    COLUMNS.map((column) => row[column]),
  );
}

/** Sets some columns. */
export async function updateWebhook(
  connection: Connection,
  { tenantId, id }: WebhookKey,
  fields: Partial<Omit<WebhookRow, 'tenantId' | 'id'>>,
): Promise<void> {
  const columns = COLUMNS.filter((column) => column in fields) as (keyof typeof fields)[];
  const values = columns.map((column) => fields[column]!);
  const set = columns.map((column) => `${column} = ?`).join(', ');
  await connection.run(`UPDATE webhooks SET ${set} WHERE tenantId = ? AND id = ?`, [...values, tenantId, id]);
}

/** Switches off the active webhooks of a member, with the reason. */
export async function updateSwitchedOff(
  connection: Connection,
  { tenantId, author, at, reason }: { tenantId: string; author: string; at: number; reason: string },
): Promise<void> {
  await connection.run(
    'UPDATE webhooks SET active = 0, lastFailedAt = ?, lastError = ? WHERE tenantId = ? AND author = ? AND active = 1',
    [at, reason, tenantId, author],
  );
}

/** Deletes a webhook, or all of a tenant. */
export async function deleteWebhooks(
  connection: Connection,
  { tenantId, id }: { tenantId: string; id?: string },
): Promise<void> {
  const ofId = id === undefined ? '' : ' AND id = ?';
  await connection.run(`DELETE FROM webhooks WHERE tenantId = ?${ofId}`, [tenantId, ...(id === undefined ? [] : [id])]);
}

/** Lists active webhooks of all tenants with changes to read and fewer than `maxWaiting` deliveries waiting, the furthest behind first. */
export async function listBehind(
  reader: Reader,
  { maxWaiting, limit }: { maxWaiting: number; limit: number },
): Promise<WebhookKey[]> {
  return reader.all<WebhookKey>(
    `SELECT w.tenantId, w.id FROM webhooks w
     WHERE w.active = 1
       AND w.readNumber <> COALESCE(
         (SELECT c.number FROM changes c WHERE c.tenantId = w.tenantId ORDER BY c.number DESC LIMIT 1), 0)
       AND w.lastNumber - COALESCE((SELECT d.number FROM webhookDeliveries d WHERE d.tenantId = w.tenantId
         AND d.webhookId = w.id AND d.state = 'waiting' ORDER BY d.number LIMIT 1), w.lastNumber) < ?
     ORDER BY w.readAt LIMIT ?`,
    [maxWaiting, limit],
  );
}

/** Lists webhooks of all tenants whose next delivery is due and that no daemon has claimed, the longest due first. */
export async function listDueWebhooks(
  reader: Reader,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<WebhookKey[]> {
  return reader.all<WebhookKey>(
    `SELECT w.tenantId, w.id FROM webhooks w
     WHERE w.active = 1 AND w.dueAt IS NOT NULL AND w.dueAt <= ? AND w.claimedUntil <= ?
     ORDER BY w.dueAt, w.tenantId, w.id LIMIT ?`,
    [nowMs, nowMs, limit],
  );
}

/**
 * Makes webhooks of all tenants due whose next delivery was made or tried after `latestMs`: the clock was ahead, and they would
 * wait until it is as late again.
 */
export async function updateAhead(
  connection: Connection,
  { nowMs, latestMs }: { nowMs: number; latestMs: number },
): Promise<void> {
  await connection.run(
    `UPDATE webhooks SET dueAt = ?, claimedUntil = 0 WHERE active = 1 AND (dueAt > ? OR claimedUntil > ?)
       AND (SELECT COALESCE(d.triedAt, d.createdAt) FROM webhookDeliveries d
         WHERE d.tenantId = webhooks.tenantId AND d.webhookId = webhooks.id AND d.state = 'waiting'
         ORDER BY d.number LIMIT 1) > ?`,
    [nowMs, latestMs, latestMs, latestMs],
  );
}

/** Claims a due webhook for one daemon. Returns it with its new fence, or `undefined` if it is no longer due or free. */
export async function updateClaimed(
  connection: Connection,
  { tenantId, id }: WebhookKey,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<WebhookRow | undefined> {
  const [row] = await connection.all<WebhookRow>(
    `UPDATE webhooks SET claimedUntil = ?, fence = fence + 1
     WHERE tenantId = ? AND id = ? AND active = 1 AND dueAt <= ? AND claimedUntil <= ? RETURNING *`,
    [untilMs, tenantId, id, nowMs, nowMs],
  );
  return row;
}

/** Lets another daemon claim a webhook at once. */
export async function updateReleased(connection: Connection, { tenantId, id, fence }: WebhookRow): Promise<void> {
  await connection.run('UPDATE webhooks SET claimedUntil = 0 WHERE tenantId = ? AND id = ? AND fence = ?', [
    tenantId,
    id,
    fence,
  ]);
}
