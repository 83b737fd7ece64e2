import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams, NoContent } from '../../contract/common.ts';
import {
  AppendedMessage,
  Conversation,
  ConversationChange,
  ConversationPage,
  ConversationsQuery,
  Message,
  MessageChange,
  MessagePage,
  MessageParams,
  Messages,
  MessagesQuery,
  NewConversation,
  NewMessages,
} from '../../contract/conversations.ts';
import { contentTagOf, versionTagOf } from '../../lib/entity-tag.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { Conversations } from './conversations.ts';

export function conversationsRoutes(parts: {
  conversations: Conversations;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(ownRoutes(parts));
    await app.register(messagesRoutes(parts));
  };
}

function ownRoutes({
  conversations,
  idempotency,
}: {
  conversations: Conversations;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/conversations',
      { schema: { body: NewConversation, response: { 201: Conversation } } },
      async (request, reply) => {
        const created = await createOnce(idempotency, request, reply, (claim) =>
          conversations.createOnce(request.principal, request.body, claim),
        );
        reply.header('Location', `/v1/conversations/${created.id}`);
        return sendWithEtag(request, reply, created, versionTagOf(created));
      },
    );
    app.get(
      '/v1/conversations',
      { schema: { querystring: ConversationsQuery, response: { 200: ConversationPage } } },
      (request) => conversations.list(request.principal, request.query),
    );
    app.get(
      '/v1/conversations/:id',
      { schema: { params: IdParams, response: { 200: Conversation } } },
      async (request, reply) => {
        const conversation = await conversations.get(request.principal, request.params.id);
        return sendWithEtag(request, reply, conversation, versionTagOf(conversation));
      },
    );
    app.patch(
      '/v1/conversations/:id',
      { schema: { params: IdParams, body: ConversationChange, response: { 200: Conversation } } },
      async (request, reply) => {
        const ifMatch = request.headers['if-match'];
        const conversation = await conversations.change(request.principal, request.params.id, request.body, ifMatch);
        return sendWithEtag(request, reply, conversation, versionTagOf(conversation));
      },
    );
    app.delete(
      '/v1/conversations/:id',
      { schema: { params: IdParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await conversations.remove(request.principal, request.params.id, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}

function messagesRoutes({
  conversations,
  idempotency,
}: {
  conversations: Conversations;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/conversations/:id/messages',
      { schema: { params: IdParams, body: NewMessages, response: { 201: Messages } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          conversations.appendOnce(request.principal, request.params.id, request.body.messages, claim),
        ),
    );
    app.get(
      '/v1/conversations/:id/messages',
      { schema: { params: IdParams, querystring: MessagesQuery, response: { 200: MessagePage } } },
      (request) => conversations.messages(request.principal, request.params.id, request.query),
    );
    app.get(
      '/v1/conversations/:id/messages/:messageId',
      { schema: { params: MessageParams, response: { 200: Message } } },
      async (request, reply) => {
        const { principal, params } = request;
        const message = await conversations.message(principal, params.id, params.messageId);
        return sendWithEtag(request, reply, message, contentTagOf(message));
      },
    );
    app.patch(
      '/v1/conversations/:id/messages/:messageId',
      { schema: { params: MessageParams, body: MessageChange, response: { 200: AppendedMessage } } },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const ifMatch = headers['if-match'];
        const changed = await conversations.changeMessage(principal, params.id, params.messageId, body, ifMatch);
        // The tag matches what GET returns: the message without the fields that describe the write.
        const { partlyIndexed: _, redacted: __, ...message } = changed;
        return sendWithEtag(request, reply, changed, contentTagOf(message));
      },
    );
    app.delete(
      '/v1/conversations/:id/messages',
      { schema: { params: IdParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await conversations.removeMessages(request.principal, request.params.id, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
    app.delete(
      '/v1/conversations/:id/messages/:messageId',
      { schema: { params: MessageParams, response: { 204: NoContent } } },
      async (request, reply) => {
        const { principal, params, headers } = request;
        await conversations.removeMessage(principal, params.id, params.messageId, headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}
