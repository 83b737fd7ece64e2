import type { FastifyRequest } from 'fastify';
import { UNAUTHENTICATED } from '../contract/account.ts';
import { AppError } from '../contract/errors.ts';
import { sessionTokenOf, sessionTokensIn } from '../features/connections/session-cookie.ts';
import { type Sessions, sessionEnded } from '../features/connections/sessions.ts';
import type { Keys, Principal } from '../features/keys/keys.ts';

/** What finds the caller of a request. */
export interface Authentication {
  /**
   * Returns the caller, or `undefined` if the request has no valid credential. A cookie counts only without an
   * Authorization header. Throws `unavailable` if the database fails, and `forbidden` or `unauthenticated` for a cookie
   * that must not be used.
   */
  authenticate(request: FastifyRequest): Promise<Principal | undefined>;
  /** Whether the request carries a credential, valid or not. */
  hasCredential(request: FastifyRequest): boolean;
  /** Returns the caller that the guard found. Throws why there is none: `unauthenticated`, with what ended its key. */
  require(request: FastifyRequest): Promise<Principal>;
}

interface Parts {
  keys: Keys;
  sessions: Sessions;
  publicUrl: () => string;
}

export function createAuthentication({ keys, sessions, publicUrl }: Parts): Authentication {
  const hasCookie = (request: FastifyRequest) =>
    request.headers.authorization === undefined && sessionTokensIn(request, publicUrl()).length > 0;
  return {
    async authenticate(request) {
      if (isOperators(request)) return undefined;
      if (request.headers.authorization === undefined) {
        const token = sessionTokenOf(request, publicUrl());
        return token === undefined ? undefined : sessions.authenticate(token);
      }
      const apiKey = bearerOf(request);
      return apiKey === undefined ? undefined : keys.authenticate(apiKey);
    },
    hasCredential: (request) =>
      !isOperators(request) && (request.headers.authorization !== undefined || hasCookie(request)),
    async require(request) {
      if (request.authenticationFailure) throw request.authenticationFailure;
      if (request.principal) return request.principal;
      if (hasCookie(request)) throw sessionEnded();
      const apiKey = bearerOf(request);
      const ended = apiKey === undefined ? undefined : await keys.whyEnded(apiKey);
      throw ended ?? new AppError('unauthenticated', UNAUTHENTICATED);
    },
  };
}

/** The operator's routes have a separate session. */
function isOperators(request: FastifyRequest): boolean {
  return request.routeOptions.config.isOperatorRoute === true;
}

/** The bearer token of a request; `undefined` if there is more than one Authorization header. */
function bearerOf({ headers, raw }: FastifyRequest): string | undefined {
  const count = raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  return count === 1 ? /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
}
