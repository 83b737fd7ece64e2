import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { NoContent } from '../../contract/common.ts';
import { User, UserPage, UserParams, UsersQuery } from '../../contract/users.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { Users } from './users.ts';

export function usersRoutes({ users }: { users: Users }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/users', { schema: { querystring: UsersQuery, response: { 200: UserPage } } }, (request) =>
      users.list(request.principal, request.query),
    );
    app.get('/v1/users/:user', { schema: { params: UserParams, response: { 200: User } } }, async (request, reply) => {
      const { user, etag } = await users.get(request.principal, request.params.user);
      return sendWithEtag(request, reply, user, etag);
    });
    app.delete(
      '/v1/users/:user',
      { schema: { params: UserParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await users.erase(request.principal, request.params.user, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}
