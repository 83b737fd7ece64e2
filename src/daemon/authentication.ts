import type { FastifyRequest } from 'fastify';
import { UNAUTHENTICATED } from '../contract/account.ts';
import { AppError } from '../contract/errors.ts';
import { sessionTokenOf, sessionTokensIn } from '../features/connections/session-cookie.ts';
import { type Sessions, sessionEnded } from '../features/connections/sessions.ts';
import type { BearerTokens, Principal } from '../features/keys/keys.ts';
import { apiKeyHeaderOf } from './anthropic-wire.ts';

/** Finds the caller of a request. */
export interface Authentication {
  /**
   * Returns the caller, or `undefined` if the request has no valid credential. A key in `x-api-key` counts only without an
   * Authorization header, on the routes of Anthropic's API; a cookie counts only without either. Throws `unavailable` if the database fails, and `forbidden` or `unauthenticated` for a cookie
   * that must not be used.
   */
  authenticate(request: FastifyRequest): Promise<Principal | undefined>;
  /** Whether the request carries a credential, valid or not. */
  hasCredential(request: FastifyRequest): boolean;
  /** Returns the caller that the guard found. Throws `unauthenticated` with the reason why its key or token ended. */
  require(request: FastifyRequest): Promise<Principal>;
}

interface Parts {
  /** Every kind of bearer token. */
  bearers: readonly BearerTokens[];
  sessions: Sessions;
  publicUrl: () => string;
}

export function createAuthentication({ bearers, sessions, publicUrl }: Parts): Authentication {
  const hasCookie = (request: FastifyRequest) =>
    !hasHeader(request) && sessionTokensIn(request, publicUrl()).length > 0;
  const kindOf = (request: FastifyRequest, token: string | undefined) => {
    const found = token === undefined ? undefined : bearers.find((kind) => kind.accepts(token));
    return found?.onlyFor === undefined || found.onlyFor === request.routeOptions.url ? found : undefined;
  };
  return {
    async authenticate(request) {
      if (isOperators(request)) return undefined;
      if (!hasHeader(request)) {
        const token = sessionTokenOf(request, publicUrl());
        return token === undefined ? undefined : sessions.authenticate(token, request.ip);
      }
      const token = tokenOf(request);
      return kindOf(request, token)?.authenticate(token!, request.ip);
    },
    hasCredential: (request) => !isOperators(request) && (hasHeader(request) || hasCookie(request)),
    async require(request) {
      if (request.authenticationFailure) throw request.authenticationFailure;
      if (request.principal) return request.principal;
      if (hasCookie(request)) throw sessionEnded();
      const token = tokenOf(request);
      const ended = await kindOf(request, token)?.whyEnded(token!);
      throw ended ?? new AppError('unauthenticated', UNAUTHENTICATED);
    },
  };
}

/** The operator's routes have a separate session. */
function isOperators(request: FastifyRequest): boolean {
  return request.routeOptions.config.isOperatorRoute === true;
}

function hasHeader(request: FastifyRequest): boolean {
  return request.headers.authorization !== undefined || apiKeyHeaderOf(request) !== undefined;
}

/** The token in the header of a request. */
function tokenOf(request: FastifyRequest): string | undefined {
  return request.headers.authorization === undefined ? apiKeyHeaderOf(request) : bearerOf(request);
}

/** The bearer token of a request; `undefined` if there is more than one Authorization header. */
function bearerOf({ headers, raw }: FastifyRequest): string | undefined {
  const count = raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  return count === 1 ? /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
}
