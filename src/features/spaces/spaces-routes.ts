import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { BoundedListQuery, IdParams, NoContent } from '../../contract/common.ts';
import {
  CopiedMemories,
  MemberChange,
  MemberParams,
  NewMember,
  NewSpace,
  Space,
  SpaceCopies,
  Spaces as SpaceList,
  SpaceLogPage,
  SpaceLogQuery,
  SpaceMember,
  SpaceMembers,
} from '../../contract/spaces.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { CopyIntoSpace } from './space-copies.ts';
import { memberTagOf, type Spaces, spaceTagOf } from './spaces.ts';

const params = IdParams;

/** The routes of spaces, all of the caller's own account. */
export function spacesRoutes({
  spaces,
  copy,
  idempotency,
}: {
  spaces: Spaces;
  copy: CopyIntoSpace;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/spaces', { schema: { body: NewSpace, response: { 201: Space } } }, async (request, reply) => {
      const space = await createOnce(idempotency, request, reply, (claim) =>
        spaces.createOnce(request.principal, request.body, claim),
      );
      reply.header('Location', `/v1/spaces/${space.id}`);
      return sendWithEtag(request, reply, space, spaceTagOf(space));
    });
    app.get('/v1/spaces', { schema: { querystring: BoundedListQuery, response: { 200: SpaceList } } }, (request) =>
      spaces.list(request.principal, request.query),
    );
    app.get('/v1/spaces/:id', { schema: { params, response: { 200: Space } } }, async (request, reply) => {
      const space = await spaces.get(request.principal, request.params.id);
      return sendWithEtag(request, reply, space, spaceTagOf(space));
    });
    app.patch(
      '/v1/spaces/:id',
      { schema: { params, body: NewSpace, response: { 200: Space } } },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const space = await spaces.rename(principal, params.id, body, headers['if-match']);
        return sendWithEtag(request, reply, space, spaceTagOf(space));
      },
    );
    app.delete('/v1/spaces/:id', { schema: { params, response: { 204: NoContent } } }, async (request, reply) => {
      await spaces.remove(request.principal, request.params.id, request.headers['if-match']);
      return reply.code(204).send(null);
    });
    app.post('/v1/spaces/:id/join', { schema: { params, response: { 200: Space } } }, async (request, reply) => {
      const space = await spaces.join(request.principal, request.params.id);
      return sendWithEtag(request, reply, space, spaceTagOf(space));
    });
    app.post('/v1/spaces/:id/leave', { schema: { params, response: { 204: NoContent } } }, async (request, reply) => {
      await spaces.leave(request.principal, request.params.id);
      return reply.code(204).send(null);
    });
    app.get(
      '/v1/spaces/:id/members',
      { schema: { params, querystring: BoundedListQuery, response: { 200: SpaceMembers } } },
      (request) => spaces.members(request.principal, request.params.id, request.query),
    );
    app.post(
      '/v1/spaces/:id/members',
      { schema: { params, body: NewMember, response: { 201: SpaceMember } } },
      async (request, reply) => {
        const member = await createOnce(idempotency, request, reply, (claim) =>
          spaces.inviteOnce(request.principal, request.params.id, request.body, claim),
        );
        return sendWithEtag(request, reply, member, memberTagOf(member));
      },
    );
    app.patch(
      '/v1/spaces/:id/members/:memberId',
      { schema: { params: MemberParams, body: MemberChange, response: { 200: SpaceMember } } },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const member = await spaces.changeRole(principal, params.id, params.memberId, body, headers['if-match']);
        return sendWithEtag(request, reply, member, memberTagOf(member));
      },
    );
    app.delete(
      '/v1/spaces/:id/members/:memberId',
      { schema: { params: MemberParams, response: { 204: NoContent } } },
      async (request, reply) => {
        const { principal, params, headers } = request;
        await spaces.removeMember(principal, params.id, params.memberId, headers['if-match']);
        return reply.code(204).send(null);
      },
    );
    app.post(
      '/v1/spaces/:id/copies',
      { schema: { params, body: SpaceCopies, response: { 201: CopiedMemories } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          copy(request.principal, request.params.id, request.body, claim),
        ),
    );
    app.get(
      '/v1/spaces/:id/log',
      { schema: { params, querystring: SpaceLogQuery, response: { 200: SpaceLogPage } } },
      (request) => spaces.log(request.principal, request.params.id, request.query),
    );
  };
}
