import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { NoContent } from '../../contract/common.ts';
import {
  CheckedTicket,
  NewSession as NewSessionRequest,
  Session,
  SessionTicket,
  TicketCheck,
} from '../../contract/connections.ts';
import { AppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { csrfTokenOf } from '../../lib/secret.ts';
import type { Credential, Principal } from '../keys/keys.ts';
import { clientNameOf } from './client-name.ts';
import type { Connections } from './connections.ts';
import { PRIVATE_HEADERS } from './private-headers.ts';
import {
  clearedSessionCookie,
  requireSameOrigin,
  sessionCookie,
  sessionTokenOf,
  sessionTokensIn,
} from './session-cookie.ts';
import type { NewSession, Sessions } from './sessions.ts';

interface Dependencies {
  sessions: Sessions;
  connections: Connections;
  publicUrl: () => string;
}

interface PublicDependencies extends Pick<Dependencies, 'sessions' | 'publicUrl'> {
  /** Counts a sign-in of an address. Throws `rate_limited`. */
  limitSignIns(address: string): Promise<void>;
  /** Throws `unauthenticated`. */
  requirePrincipal(request: FastifyRequest): Promise<Principal>;
}

/** The routes that begin sessions: with a ticket they need no key. */
export function newSessionRoutes({
  sessions,
  publicUrl,
  limitSignIns,
  requirePrincipal,
}: PublicDependencies): FastifyPluginAsyncTypebox {
  async function begin(request: FastifyRequest, ticket: string | undefined): Promise<NewSession> {
    const current = await currentSession(request);
    const browser = { client: clientNameOf(request.headers['user-agent']), address: request.ip, current };
    if (ticket === undefined) {
      const principal = await requirePrincipal(request);
      if (principal.credential.kind === 'apiKey') return sessions.beginFor(principal, browser);
      throw new AppError('invalid_request', 'A session is made with an API key or with a ticket.');
    }
    if (request.headers.authorization !== undefined) {
      const errors = [{ path: '/ticket', message: 'cannot be used with an API key' }];
      throw new AppError('invalid_request', 'Send either an API key or a ticket, not both.', { errors });
    }
    await limitSignIns(request.ip);
    return sessions.redeemTicket(ticket, browser);
  }

  /** Authenticates by the browser's cookie alone, even if the request carries another credential. */
  async function currentSession(request: FastifyRequest): Promise<Principal | undefined> {
    const [token] = sessionTokensIn(request, publicUrl());
    return token === undefined ? undefined : sessions.authenticate(token, request.ip);
  }

  return async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers(PRIVATE_HEADERS);
    });
    app.post(
      '/v1/session',
      {
        // A session is of an account, also if its key comes with a space.
        config: { personal: true },
        // The body is optional.
        preValidation: async (request) => {
          if (request.body === undefined) request.body = {};
        },
        schema: { security: [{ apiKey: [] }, {}], body: NewSessionRequest, response: { 201: Session } },
      },
      async (request, reply) => {
        requireSameOrigin(request, publicUrl());
        const session = await begin(request, request.body.ticket);
        reply.header('Set-Cookie', sessionCookie(session, publicUrl()));
        return reply.code(201).send(toAnswer(session, session.token));
      },
    );
    app.post(
      '/v1/session/ticket/check',
      { schema: { security: [], body: TicketCheck, response: { 200: CheckedTicket } } },
      async (request) => {
        requireSameOrigin(request, publicUrl());
        await limitSignIns(request.ip);
        return { email: await sessions.checkTicket(request.body.ticket) };
      },
    );
  };
}

const security = [{ session: [] }];

export function sessionRoutes({ sessions, connections, publicUrl }: Dependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers(PRIVATE_HEADERS);
    });
    app.get('/v1/session', { schema: { security, response: { 200: Session } } }, async (request) => {
      const session = sessionOf(request.principal);
      return toAnswer(session, sessionTokenOf(request, publicUrl())!);
    });
    app.delete('/v1/session', { schema: { security, response: { 204: NoContent } } }, async (request, reply) => {
      await connections.revoke(request.principal, sessionOf(request.principal).id);
      reply.header('Set-Cookie', clearedSessionCookie(publicUrl()));
      return reply.code(204).send(null);
    });
    app.post('/v1/session/ticket', { schema: { response: { 201: SessionTicket } } }, async (request, reply) => {
      const { ticket, expiresAt } = await sessions.issueTicket(request.principal);
      const url = `${publicUrl()}/dashboard#ticket=${ticket}`;
      return reply.code(201).send({ ticket, url, expiresAt: toTimestamp(expiresAt) });
    });
  };
}

function sessionOf({ credential }: Principal): Extract<Credential, { kind: 'session' }> {
  if (credential.kind === 'session') return credential;
  throw new AppError('not_found', 'This request has no session: it was made with a key or token.');
}

function toAnswer(session: { id: string; createdAt: number; expiresAt: number }, token: string): Session {
  const { id, createdAt, expiresAt } = session;
  return { id, csrf: csrfTokenOf(token), createdAt: toTimestamp(createdAt), expiresAt: toTimestamp(expiresAt) };
}
