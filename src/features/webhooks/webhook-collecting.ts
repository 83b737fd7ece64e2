import type { EventName } from '../../contract/events.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Events } from '../events/events.ts';
import { type DeliveryRow, insertDelivery } from './deliveries-store.ts';
import { findWebhook, listBehind, updateWebhook, type WebhookKey, type WebhookRow } from './webhooks-store.ts';

/** Deliveries that wait for a receiver. Beyond them no changes are read, and in the end the receiver gets `reset`. */
const MAX_WAITING = 10_000;
/** Webhooks that are looked after at a time. */
const MAX_WEBHOOKS = 500;
/** Changes read in a transaction. */
const PORTION = 500;

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  events: Pick<Events, 'readAfter'>;
}

/** What a change says of itself, as far as a delivery needs it. */
type Change = Pick<DeliveryRow, 'kind' | 'itemId' | 'scope' | 'at'>;

/**
 * Returns a function that makes deliveries of the logged changes, each with the position up to which it was read in one
 * transaction: a crash neither loses nor repeats any. Run it every second, on one daemon at a time.
 */
export function createWebhookCollecting({ db, clock, ids, events }: Parts): () => Promise<void> {
  /** Returns whether there may be more to read. */
  async function collectSome(connection: Connection, key: WebhookKey): Promise<boolean> {
    const webhook = await findWebhook(connection, key);
    if (!webhook?.active) return false;
    const { tenantId, readNumber, readAt } = webhook;
    const read = await events.readAfter(connection, tenantId, { number: readNumber, at: readAt }, PORTION);
    const nowMs = clock.nowMs();
    const reset: Change = { kind: 'reset', itemId: null, scope: null, at: nowMs };
    const changes: Change[] = read.isMissed ? [reset] : read.changes.filter((change) => isWanted(webhook, change));
    for (const [index, { kind, itemId, scope, at }] of changes.entries()) {
      await insertDelivery(connection, {
        ...{ tenantId, id: ids.next('whd'), webhookId: webhook.id, number: webhook.lastNumber + index + 1 },
        ...{ kind, itemId, scope, at, state: 'waiting', attempts: 0, status: null, error: null },
        ...{ createdAt: nowMs, triedAt: null },
      });
    }
    await updateWebhook(connection, webhook, {
      readNumber: read.position.number,
      readAt: read.position.at,
      lastNumber: webhook.lastNumber + changes.length,
      dueAt: webhook.dueAt ?? (changes.length > 0 ? nowMs : null),
    });
    return read.changes.length === PORTION;
  }

  return async () => {
    for (const key of await listBehind(db.readers, { maxWaiting: MAX_WAITING, limit: MAX_WEBHOOKS })) {
      // The next run continues: others must not wait for one.
      for (let portions = 0; portions < 4; portions += 1) {
        if (!(await db.writes.write(key.tenantId, (connection) => collectSome(connection, key)))) break;
      }
    }
  };
}

function isWanted({ events, endUser }: WebhookRow, change: { kind: string; endUser: string | null }): boolean {
  if (endUser !== null && change.endUser !== endUser) return false;
  return events === null || (JSON.parse(events) as EventName[]).includes(change.kind as EventName);
}
