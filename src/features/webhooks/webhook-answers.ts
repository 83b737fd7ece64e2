import type { Webhook, WebhookDelivery } from '../../contract/webhooks.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { countedTagOf } from '../../lib/entity-tag.ts';
import type { DeliveryRow } from './deliveries-store.ts';
import type { WebhookRow } from './webhooks-store.ts';

/** Shows a webhook without its secrets. */
export function toWebhook(row: WebhookRow): Webhook {
  const { id, url, events, endUser, active, createdAt, lastDeliveredAt, lastFailedAt, lastError } = row;
  return {
    ...{ id, url, events: events === null ? null : JSON.parse(events), user: endUser, active: active === 1 },
    createdAt: toTimestamp(createdAt),
    lastDeliveredAt: toTimestampOrNull(lastDeliveredAt),
    lastFailure: lastFailedAt === null ? null : { at: toTimestamp(lastFailedAt), message: lastError ?? '' },
  };
}

/** Shows a delivery without its number, which is internal. */
export function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { id, kind, itemId, state, attempts, status, error, createdAt, triedAt } = row;
  return {
    ...{ id, type: kind, itemId, state, attempts, status, error },
    createdAt: toTimestamp(createdAt),
    lastTriedAt: toTimestampOrNull(triedAt),
  };
}

/** The entity tag of a webhook. `If-Match` ignores when it was used. */
export function webhookTagOf(webhook: Webhook): string {
  return countedTagOf(webhookStateOf(webhook), webhook);
}

/** The part of a webhook that callers change. */
export function webhookStateOf({ id, url, events, user, active }: Webhook): object {
  return { id, url, events, user, active };
}
