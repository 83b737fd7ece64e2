import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { BoundedListQuery, IdParams, NoContent } from '../../contract/common.ts';
import {
  DeliveryParams,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryPage,
  Webhooks as WebhookList,
  WebhookWithSecret,
} from '../../contract/webhooks.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import { webhookTagOf } from './webhook-answers.ts';
import type { Webhooks } from './webhooks.ts';

const params = IdParams;

export function webhooksRoutes({
  webhooks,
  idempotency,
}: {
  webhooks: Webhooks;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/webhooks',
      { schema: { body: NewWebhook, response: { 201: WebhookWithSecret } } },
      async (request, reply) => {
        const webhook = await createOnce(idempotency, request, reply, (claim) =>
          webhooks.createOnce(request.principal, request.body, claim),
        );
        keepPrivate(reply).header('Location', `/v1/webhooks/${webhook.id}`);
        const { secret: _, ...shown } = webhook;
        return sendWithEtag(request, reply, webhook, webhookTagOf(shown));
      },
    );
    app.get('/v1/webhooks', { schema: { querystring: BoundedListQuery, response: { 200: WebhookList } } }, (request) =>
      webhooks.list(request.principal, request.query),
    );
    app.get('/v1/webhooks/:id', { schema: { params, response: { 200: Webhook } } }, async (request, reply) => {
      const webhook = await webhooks.get(request.principal, request.params.id);
      return sendWithEtag(request, reply, webhook, webhookTagOf(webhook));
    });
    app.patch(
      '/v1/webhooks/:id',
      { schema: { params, body: WebhookChange, response: { 200: Webhook } } },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const webhook = await webhooks.change(principal, params.id, body, headers['if-match']);
        return sendWithEtag(request, reply, webhook, webhookTagOf(webhook));
      },
    );
    app.delete('/v1/webhooks/:id', { schema: { params, response: { 204: NoContent } } }, async (request, reply) => {
      await webhooks.remove(request.principal, request.params.id, request.headers['if-match']);
      return reply.code(204).send(null);
    });
    app.post(
      '/v1/webhooks/:id/rotate-secret',
      { schema: { params, response: { 200: WebhookWithSecret } } },
      (request, reply) => {
        keepPrivate(reply);
        return webhooks.rotateSecret(request.principal, request.params.id);
      },
    );
    app.post('/v1/webhooks/:id/test', { schema: { params, response: { 200: WebhookDelivery } } }, (request) =>
      webhooks.test(request.principal, request.params.id),
    );
    app.get(
      '/v1/webhooks/:id/deliveries',
      { schema: { params, querystring: WebhookDeliveriesQuery, response: { 200: WebhookDeliveryPage } } },
      (request) => webhooks.deliveries(request.principal, request.params.id, request.query),
    );
    app.post(
      '/v1/webhooks/:id/deliveries/:deliveryId/replay',
      { schema: { params: DeliveryParams, response: { 200: WebhookDelivery } } },
      (request) => webhooks.replay(request.principal, request.params.id, request.params.deliveryId),
    );
  };
}

/** Keeps an answer with a secret out of caches. */
function keepPrivate(reply: FastifyReply): FastifyReply {
  return reply.header('Cache-Control', 'no-store');
}
