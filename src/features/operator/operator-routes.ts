import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { NoContent } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import {
  NewOperatorInvitation,
  OperatorInvitationParams,
  OperatorInvitations,
  OperatorOverview,
  OperatorTask,
  OperatorTenantPage,
  OperatorTenantParams,
  OperatorTenantsQuery,
  OperatorTierChange,
} from '../../contract/operator.ts';
import { isFromThisMachine } from '../../lib/this-machine.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import { PRIVATE_HEADERS } from '../connections/private-headers.ts';
import { requireSameOrigin } from '../connections/session-cookie.ts';
import type { OperatorParts } from './operator-parts.ts';
import { OPERATOR_ROUTE, operatorSessionRoutes, requireOperator } from './operator-session-routes.ts';

/** Routes for the operator's page, which offers what `svc admin` does. From other machines these paths do not exist. */
export function operatorRoutes(parts: OperatorParts): FastifyPluginAsyncTypebox {
  const { sessions, noSuchPath } = parts;
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (!isFromThisMachine(request)) throw noSuchPath();
      reply.headers(PRIVATE_HEADERS);
      requireSameOrigin(request, `http://${request.headers.host}`);
    });
    await app.register(operatorSessionRoutes(parts));
    await app.register(async (scope) => {
      scope.addHook('onRequest', async (request) => {
        requireOperator(request, sessions);
      });
      await scope.register(adminRoutes(parts));
    });
  };
}

function adminRoutes({ accounts, tenants, check, backup, overview }: OperatorParts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/operator/overview',
      { ...OPERATOR_ROUTE, schema: { hide: true, response: { 200: OperatorOverview } } },
      overview,
    );
    app.get(
      '/v1/operator/tenants',
      {
        ...OPERATOR_ROUTE,
        schema: { hide: true, querystring: OperatorTenantsQuery, response: { 200: OperatorTenantPage } },
      },
      (request) => tenants.list(request.query),
    );
    app.patch(
      '/v1/operator/tenants/:tenantId',
      {
        ...OPERATOR_ROUTE,
        schema: { hide: true, params: OperatorTenantParams, body: OperatorTierChange, response: { 204: NoContent } },
      },
      async (request, reply) => {
        await accounts.setTier(request.params.tenantId, request.body.tier);
        return reply.code(204).send(null);
      },
    );
    app.delete(
      '/v1/operator/tenants/:tenantId',
      { ...OPERATOR_ROUTE, schema: { hide: true, params: OperatorTenantParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await accounts.erase(request.params.tenantId);
        return reply.code(204).send(null);
      },
    );
    app.get(
      '/v1/operator/invitations',
      { ...OPERATOR_ROUTE, schema: { hide: true, response: { 200: OperatorInvitations } } },
      async () => ({ data: await accounts.invitations() }),
    );
    app.post(
      '/v1/operator/invitations',
      { ...OPERATOR_ROUTE, schema: { hide: true, body: NewOperatorInvitation, response: { 204: NoContent } } },
      async (request, reply) => {
        await accounts.invite(normalizeEmail(request.body.email));
        return reply.code(204).send(null);
      },
    );
    app.delete(
      '/v1/operator/invitations/:email',
      { ...OPERATOR_ROUTE, schema: { hide: true, params: OperatorInvitationParams, response: { 204: NoContent } } },
      async (request, reply) => {
        const isWithdrawn = await accounts.withdraw(request.params.email);
        if (!isWithdrawn) throw new AppError('not_found', `${request.params.email} has no open invitation.`);
        return reply.code(204).send(null);
      },
    );
    app.post(
      '/v1/operator/check',
      { ...OPERATOR_ROUTE, schema: { hide: true, response: { 202: OperatorTask } } },
      async (_request, reply) => reply.code(202).send(check.start()),
    );
    app.post(
      '/v1/operator/backup',
      { ...OPERATOR_ROUTE, schema: { hide: true, response: { 202: OperatorTask } } },
      async (_request, reply) => {
        if (backup) return reply.code(202).send(backup.start());
        const message = 'The database is on PostgreSQL: use pg_dump, or the backups of its provider (docs/scale.md).';
        throw new AppError('unprocessable', message);
      },
    );
  };
}
