import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { NoContent } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { OperatorSession, OperatorTicket } from '../../contract/operator.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { cookiesNamed } from '../../lib/cookies.ts';
import { csrfTokenOf } from '../../lib/secret.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import { requireCsrfToken } from '../connections/session-cookie.ts';
import { MAX_AGE_MS, type OperatorSessions } from './operator-sessions.ts';

interface Dependencies {
  sessions: OperatorSessions;
  limitSignIns: LimitSignIns;
}

const COOKIE = 'svc_operator';
const PATH = '/v1/operator/session';
/** Every route of the operator: not documented, and without the credentials of accounts. */
export const OPERATOR_ROUTE = { config: { isOperatorRoute: true } } as const;

/** The session that a ticket of `svc admin open` begins. The caller only lets this machine's own pages through. */
export function operatorSessionRoutes({ sessions, limitSignIns }: Dependencies): FastifyPluginAsyncTypebox {
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
export function requireOperator(request: FastifyRequest, sessions: OperatorSessions): string {
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
