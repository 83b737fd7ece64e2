import { type Static, Type } from 'typebox';
import { Name, Nullable, Page, PageQuery, strict } from './common.ts';
import { EVENT_NAMES } from './event-names.ts';
import { EventName } from './events.ts';

/** The most webhooks of an account. */
export const MAX_WEBHOOKS = 10;

/** `failed`: a dead letter, which is sent again only on request. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export const DeliveryStateName = Type.Enum([...DELIVERY_STATES]);

const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'https, at a public address' });
const EventChoice = Nullable(
  Type.Array(EventName, {
    minItems: 1,
    maxItems: EVENT_NAMES.length,
    uniqueItems: true,
    description: 'The events to send; null: all. `reset` is always sent',
  }),
);
const UserChoice = Nullable({ ...Name, description: 'Only changes of this user; null: all changes of the account' });

export const NewWebhook = Type.Object(
  { url: Url, events: Type.Optional(EventChoice), user: Type.Optional(UserChoice) },
  strict,
);
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(EventChoice),
    user: Type.Optional(UserChoice),
    active: Type.Optional(Type.Boolean({ description: 'Changes made while it is not active are not sent' })),
  },
  { ...strict, minProperties: 1 },
);
export type WebhookChange = Static<typeof WebhookChange>;

export const WebhookFailure = Type.Object({
  at: Type.String({ format: 'date-time' }),
  message: Type.String(),
});

export const Webhook = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Nullable(Type.Array(EventName, { description: 'null: all' })),
  user: Nullable(Type.String()),
  active: Type.Boolean({ description: 'false once the receiver answered 410, too' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastDeliveredAt: Nullable(Type.String({ format: 'date-time' })),
  lastFailure: Nullable(WebhookFailure),
});
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: 'The signing secret, which is shown only here' }),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const Webhooks = Page(Webhook);
export type Webhooks = Static<typeof Webhooks>;

export const WebhookDelivery = Type.Object({
  id: Type.String({ description: 'The `webhook-id` of the request, the same at every try' }),
  type: Type.String({ description: 'The name of the event, or `test`' }),
  itemId: Nullable(Type.String({ description: 'The id of what changed' })),
  state: DeliveryStateName,
  attempts: Type.Integer(),
  status: Nullable(Type.Integer({ description: 'The HTTP status of the last answer' })),
  error: Nullable(Type.String({ description: 'Why the last try failed' })),
  createdAt: Type.String({ format: 'date-time' }),
  lastTriedAt: Nullable(Type.String({ format: 'date-time' })),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryPage = Page(WebhookDelivery);
export type WebhookDeliveryPage = Static<typeof WebhookDeliveryPage>;

export const WebhookDeliveriesQuery = Type.Object({ ...PageQuery, state: Type.Optional(DeliveryStateName) }, strict);
export type WebhookDeliveriesQuery = Partial<Static<typeof WebhookDeliveriesQuery>>;

export const DeliveryParams = Type.Object({
  id: Type.String({ maxLength: 300 }),
  deliveryId: Type.String({ maxLength: 300 }),
});
