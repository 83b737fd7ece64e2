import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { NoContent } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import {
  NewOperatorInvitation,
  OperatorInvitationParams,
  OperatorInvitations,
  OperatorOverview,
  OperatorSession,
  OperatorTask,
  OperatorTenantPage,
  OperatorTenantParams,
  OperatorTenantsQuery,
  OperatorTicket,
  OperatorTierChange,
} from '../../contract/operator.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { cookiesNamed } from '../../lib/cookies.ts';
import { csrfTokenOf } from '../../lib/secret.ts';
import { isFromThisMachine } from '../../lib/this-machine.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import { PRIVATE_HEADERS } from '../connections/private-headers.ts';
import { requireCsrfToken, requireSameOrigin } from '../connections/session-cookie.ts';
import type { OperatorParts } from './operator-parts.ts';
import { MAX_AGE_MS, type OperatorSessions } from './operator-sessions.ts';

interface Dependencies {
  sessions: OperatorSessions;
  limitSignIns: LimitSignIns;
}

const COOKIE = 'svc_operator';
const PATH = '/v1/operator/session';
/** Every route of the operator: not documented, and without the credentials of accounts. */
const OPERATOR_ROUTE = { config: { isOperatorRoute: true } } as const;

/** The session that a ticket of `svc admin open` begins. The caller only lets this machine's own pages through. */
function operatorSessionRoutes({ sessions, limitSignIns }: Dependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      PATH,
      { ...OPERATOR_ROUTE, schema: { hide: true, body: OperatorTicket, response: { 201: OperatorSession } } },
      async (request, reply) => {
        await limitSignIns(request.ip);
        const { token, expiresAt } = await sessions.redeem(request.body.ticket);
        reply.header('Set-Cookie', cookieOf(token, MAX_AGE_MS / 1000));
        return reply.code(201).send({ csrf: csrfTokenOf(token), expiresAt: toTimestamp(expiresAt) });
      },
    );
    app.get(
      PATH,
      { ...OPERATOR_ROUTE, schema: { hide: true, response: { 200: OperatorSession } } },
      async (request) => {
        const token = tokenOf(request);
        const { expiresAt } = sessions.use(token);
        return { csrf: csrfTokenOf(token), expiresAt: toTimestamp(expiresAt) };
      },
    );
    app.delete(
      PATH,
      { ...OPERATOR_ROUTE, schema: { hide: true, response: { 204: NoContent } } },
      async (request, reply) => {
        sessions.end(requireOperator(request, sessions));
        return reply.header('Set-Cookie', cookieOf('', 0)).code(204).send(null);
      },
    );
  };
}

/**
 * Returns the token of the operator's session. Throws `unauthenticated` if there is none or it has ended, and `forbidden`
 * if the request changes something without its csrf token.
 */
function requireOperator(request: FastifyRequest, sessions: OperatorSessions): string {
  const token = tokenOf(request);
  requireCsrfToken(request, token, PATH);
  sessions.use(token);
  return token;
}

/** Another program on this machine may have added cookies: ports do not separate them. */
function tokenOf(request: FastifyRequest): string {
  const [token, ...others] = cookiesNamed(request.headers.cookie, COOKIE);
  if (token !== undefined && others.length === 0) return token;
  const message = token === undefined ? 'There is no operator session.' : 'There are several operator sessions.';
  throw new AppError('unauthenticated', `${message} Run svc admin open.`);
}

/** Over http, because the daemon's own address on this machine has no certificate. */
function cookieOf(token: string, maxAgeSeconds: number): string {
  return `${COOKIE}=${token}; Path=/v1/operator; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
}

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
