import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams, NoContent } from '../../contract/common.ts';
import { Connection, ConnectionChange, ConnectionPage, ConnectionsQuery } from '../../contract/connections.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import { type Connections, connectionTagOf } from './connections.ts';

export function connectionsRoutes({ connections }: { connections: Connections }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/connections',
      { schema: { querystring: ConnectionsQuery, response: { 200: ConnectionPage } } },
      (request) => connections.list(request.principal, request.query),
    );
    app.get(
      '/v1/connections/:id',
      { schema: { params: IdParams, response: { 200: Connection } } },
      async (request, reply) => {
        const connection = await connections.get(request.principal, request.params.id);
        return sendWithEtag(request, reply, connection, connectionTagOf(connection));
      },
    );
    app.patch(
      '/v1/connections/:id',
      { schema: { params: IdParams, body: ConnectionChange, response: { 200: Connection } } },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const connection = await connections.bind(principal, params.id, body, headers['if-match']);
        return sendWithEtag(request, reply, connection, connectionTagOf(connection));
      },
    );
    app.delete(
      '/v1/connections/:id',
      { schema: { params: IdParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await connections.revoke(request.principal, request.params.id, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}
