import type {
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  Webhooks,
  WebhookWithSecret,
} from '../contract/webhooks.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from './call-options.ts';
import type { Transport } from './transport.ts';

/** Calls for webhooks and their deliveries. */
export function webhookCalls({ send, create, list }: Transport) {
  const path = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`;
  return {
    webhooks: {
      /** Adds a webhook. Its secret is shown only here. */
      create: (webhook: NewWebhook, options?: CreateOptions): ApiPromise<WebhookWithSecret> =>
        create('/v1/webhooks', webhook, options),
      list: (options?: CallOptions): ApiPromise<Webhooks> => send('GET', '/v1/webhooks', undefined, options),
      get: (id: string, options?: CallOptions): ApiPromise<Webhook> => send('GET', path(id), undefined, options),
      update: (id: string, change: WebhookChange, options?: ChangeOptions): ApiPromise<Webhook> =>
        send('PATCH', path(id), change, options),
      delete: (id: string, options?: ChangeOptions): ApiPromise<void> => send('DELETE', path(id), undefined, options),
      /** Makes a new secret; the former one signs, too, for a day. */
      rotateSecret: (id: string, options?: CallOptions): ApiPromise<WebhookWithSecret> =>
        send('POST', `${path(id)}/rotate-secret`, undefined, options),
      /** Sends a test event, and returns the outcome. */
      test: (id: string, options?: CallOptions): ApiPromise<WebhookDelivery> =>
        send('POST', `${path(id)}/test`, undefined, options),
      deliveries: {
        /** Lists deliveries, the newest first. */
        list: (id: string, query?: WebhookDeliveriesQuery, options?: CallOptions): PagePromise<WebhookDelivery> =>
          list(`${path(id)}/deliveries`, query, options),
        /** Sends a delivery once more, and returns the outcome. */
        replay: (id: string, deliveryId: string, options?: CallOptions): ApiPromise<WebhookDelivery> =>
          send('POST', `${path(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`, undefined, options),
      },
    },
  };
}
