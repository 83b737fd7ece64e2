import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UNAUTHENTICATED } from '../contract/account.ts';
import { AppError } from '../contract/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import { SPACE_HEADER } from '../contract/spaces.ts';
import { WEB_APP_CLIENT } from '../contract/web-app-client.ts';
import { clientOfUserAgent } from '../features/activity/client-name.ts';
import { PRIVATE_HEADERS } from '../features/connections/private-headers.ts';
import { sessionTokenOf, sessionTokensIn } from '../features/connections/session-cookie.ts';
import { type Sessions, sessionEnded } from '../features/connections/sessions.ts';
import type { BearerTokens, Principal } from '../features/keys/keys.ts';
import { isPersonal, requireScope, scopeOf } from '../features/keys/keys.ts';
import { networkOf } from '../features/limits/network.ts';
import type { RateDecision, RateLimits } from '../features/limits/rate-limits.ts';
import type { Usage } from '../features/limits/usage.ts';
import type { Memberships } from '../features/spaces/memberships.ts';
import { documentedPath } from './activity-hooks.ts';
import { apiKeyHeaderOf } from './anthropic-wire.ts';
import { sendProblem, toAppError } from './problems.ts';
import type { RefusalPace } from './refusal-pace.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requirements for callers of a protected route. */
    scope?: Scope;
    /** Acts on the caller's own account, and in no space. */
    personal?: boolean;
    /** A file of the web app or the API reference: its requests take no token. */
    isStatic?: boolean;
  }
  interface FastifyInstance {
    /** Counts another message of an authenticated request like a separate request. Throws `rate_limited`. */
    admitMessage(request: FastifyRequest): Promise<void>;
  }
  interface FastifyRequest {
    /** The authenticated caller; always set in the protected scope. */
    principal: Principal & { client: string };
    /** The caller in its own account, wherever it acts. Set with `principal`. */
    account: Principal;
    /** Why the caller could not be looked up, or its credential must not be used. */
    authenticationFailure?: AppError;
  }
}

interface Parts {
  authentication: Authentication;
  rateLimits: RateLimits;
  usage: Usage;
  refusalPace: RefusalPace;
  memberships: Pick<Memberships, 'enter' | 'act'>;
}

/** Probes: like static files, they carry the rate limit headers, but take no token and wait for no database. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Runs before every request, including those that match no route: authenticates the caller, takes a token from its
 * bucket (or from one of its address's) and sets the rate limit headers. Throws `rate_limited`. A failed lookup is
 * left to `protect`, so that public routes work without a database.
 */
export function guard(app: FastifyInstance, parts: Parts): void {
  app.decorateRequest('principal');
  app.decorateRequest('account');
  app.decorate('admitMessage', async ({ principal }: FastifyRequest) => {
    const decision = await parts.rateLimits.take(principal.space?.member ?? principal);
    if (!decision.allowed) {
      await parts.refusalPace(principal.tenantId);
      throw rateLimited(decision);
    }
    parts.usage.countRequest(principal.tenantId);
  });
  // Node would reject an unknown Expect header before any hook runs; a server may ignore it (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request, reply) => {
    const { url = '', config } = request.routeOptions;
    if (PROBES.has(url) || config.isStatic === true) {
      reply.headers(rateHeaders(parts.rateLimits.peek({ address: request.ip })));
    } else await admit(request, reply, parts);
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new AppError('invalid_request', 'The request has no Host header.');
    }
  });
  // After the body was read, whose events come in a context of their own.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.principal) parts.memberships.act(request.principal, done);
    else done();
  });
}

/** Sets the headers of every response that do not depend on its caller. Responses of sign-in, errors included, are private. */
export function identify(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Content-Type-Options', 'nosniff').header('X-Request-Id', request.id);
  if ((request.routeOptions.url ?? request.url).startsWith('/v1/auth/')) reply.headers(PRIVATE_HEADERS);
}

/**
 * Handles requests that Fastify rejects before routing and hooks (a path that cannot be decoded, say), with the same
 * rate limit, headers and problem document as any other.
 */
export function answerFrameworkError(parts: Parts) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    identify(request, reply);
    const refusal = await admit(request, reply, parts).catch(toAppError);
    const problem = refusal ?? toAppError(error);
    sendProblem(problem, problem, request, reply);
  };
}

async function admit(request: FastifyRequest, reply: FastifyReply, parts: Parts): Promise<void> {
  const { authentication, rateLimits, usage, refusalPace } = parts;
  // Read before awaiting: the socket may be gone afterwards.
  const stranger = { address: request.ip, credentialRejected: authentication.hasCredential(request) };
  const found = await authentication.authenticate(request).catch((error: AppError) => error);
  const known = found instanceof AppError ? undefined : found;
  const decision = await rateLimits.take(known ?? stranger);
  reply.headers(rateHeaders(decision));
  if (!decision.allowed) {
    await refusalPace(known?.tenantId ?? networkOf(stranger.address));
    // The caller may be a tenant whose own limit is not reached.
    if (found instanceof AppError) throw found;
    throw rateLimited(decision);
  }
  if (known) {
    const acting = await enterSpace(request, known, parts).catch(toAppError);
    if (acting instanceof AppError) request.authenticationFailure = acting;
    else {
      request.account = known;
      request.principal = { ...acting, client: clientOfRequest(request, known) };
      usage.countRequest(acting.tenantId);
    }
    // A browser must not keep what only a cookie protects.
    if (known.credential.kind === 'session') reply.header('Cache-Control', 'no-store');
  }
  if (found instanceof AppError) request.authenticationFailure = found;
}

/** The caller in the space that the request names, by the header or, for MCP, in the address. Throws `invalid_request`. */
async function enterSpace(request: FastifyRequest, caller: Principal, { memberships }: Parts): Promise<Principal> {
  const { url = '', config } = request.routeOptions;
  const named = namedSpaceOf(request);
  const { boundTo } = caller;
  if (named === undefined && (boundTo === undefined || endsItself(request, caller))) return caller;
  const acting = await memberships.enter(caller, boundTo ?? named!);
  if (boundTo !== undefined && ![undefined, boundTo, acting.space?.name].includes(named)) {
    throw new AppError('forbidden', `This connection acts only in the space ${JSON.stringify(acting.space?.name)}.`);
  }
  if (acting.space && config.personal) {
    throw new AppError('invalid_request', `${documentedPath(url)} is about your own account. Leave out the space.`);
  }
  return acting;
}

/** Whether a connection asks to end itself, which it may wherever it is bound to. */
function endsItself({ method, params, routeOptions }: FastifyRequest, { credential }: Principal): boolean {
  if (method !== 'DELETE' || routeOptions.url !== '/v1/connections/:id') return false;
  return credential.kind !== 'apiKey' && credential.id === (params as { id: string }).id;
}

function namedSpaceOf({ headers, query, routeOptions }: FastifyRequest): string | undefined {
  const inHeader = headers[SPACE_HEADER]?.toString();
  const inAddress = routeOptions.url === '/v1/mcp' ? (query as { space?: unknown }).space : undefined;
  if (inHeader === undefined && inAddress === undefined) return undefined;
  const [named, ...others] = new Set([
    ...(inHeader === undefined ? [] : [decoded(inHeader)]),
    ...[inAddress ?? []].flat(),
  ]);
  if (named !== undefined && others.length === 0) return String(named);
  throw new AppError('invalid_request', 'The request names several spaces. Name one.');
}

/** Undoes percent-encoding, where there is any. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function rateLimited({ limit, retryAfterSeconds }: RateDecision): AppError {
  return new AppError('rate_limited', `The limit is ${limit} requests per minute.`, { retryAfterSeconds });
}

/** A body that arrives later than this after the head of its request may have outlived the credential. */
const LATE_BODY_MS = 1000;

/** Requires a valid credential on every route of a scope, and the scope of its operation. */
export function protect(app: FastifyInstance, authentication: Authentication): void {
  app.addHook('onRoute', (route) => {
    const scope = scopeOf([route.method].flat()[0]!, documentedPath(route.url));
    const personal = isPersonal([route.method].flat()[0]!, documentedPath(route.url));
    route.config = { scope, personal, ...route.config };
  });
  app.addHook('onRequest', async (request) => {
    const principal = await authentication.require(request);
    requireScope(principal, request.routeOptions.config.scope ?? 'account');
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (reply.elapsedTime <= LATE_BODY_MS) done();
    else authentication.requireStill(request).then(() => done(), done);
  });
}

/** The three X-RateLimit headers and the fields of the IETF's RateLimit draft. */
export function rateHeaders({
  limit,
  remaining,
  resetAtSeconds,
  fullAfterSeconds,
}: RateDecision): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetAtSeconds),
    'RateLimit-Policy': `"minute";q=${limit};w=60`,
    RateLimit: `"minute";r=${remaining};t=${fullAfterSeconds}`,
  };
}

/**
 * Names the client of a request: the web app, or the product in its User-Agent. Only the web app has a session; its
 * requests with a key are marked `Sec-Fetch-Site: same-origin` by the browser.
 */
function clientOfRequest({ headers }: FastifyRequest, { credential }: Principal): string {
  if (credential.kind === 'session' || headers['sec-fetch-site'] === 'same-origin') return WEB_APP_CLIENT;
  return clientOfUserAgent(headers['user-agent']);
}

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
  /** Looks the credential up again. Throws like `require`. */
  requireStill(request: FastifyRequest): Promise<void>;
}

interface AuthenticationParts {
  /** Every kind of bearer token. */
  bearers: readonly BearerTokens[];
  sessions: Sessions;
  publicUrl: () => string;
}

export function createAuthentication({ bearers, sessions, publicUrl }: AuthenticationParts): Authentication {
  const hasCookie = (request: FastifyRequest) =>
    !hasHeader(request) && sessionTokensIn(request, publicUrl()).length > 0;
  const kindOf = (request: FastifyRequest, token: string | undefined) => {
    const found = token === undefined ? undefined : bearers.find((kind) => kind.accepts(token));
    return found?.onlyFor === undefined || found.onlyFor === request.routeOptions.url ? found : undefined;
  };

  async function authenticate(request: FastifyRequest): Promise<Principal | undefined> {
    if (isOperators(request)) return undefined;
    if (!hasHeader(request)) {
      const token = sessionTokenOf(request, publicUrl());
      return token === undefined ? undefined : sessions.authenticate(token, request.ip);
    }
    const token = tokenOf(request);
    return kindOf(request, token)?.authenticate(token!, request.ip);
  }

  /** The error of a request without a valid credential, which says why its key or token ended. */
  async function refusalOf(request: FastifyRequest): Promise<AppError> {
    if (hasCookie(request)) return sessionEnded();
    const token = tokenOf(request);
    const ended = await kindOf(request, token)?.whyEnded(token!);
    return ended ?? new AppError('unauthenticated', UNAUTHENTICATED);
  }

  return {
    authenticate,
    hasCredential: (request) => !isOperators(request) && (hasHeader(request) || hasCookie(request)),
    async require(request) {
      if (request.authenticationFailure) throw request.authenticationFailure;
      if (request.principal) return request.principal;
      throw await refusalOf(request);
    },
    async requireStill(request) {
      if (!(await authenticate(request))) throw await refusalOf(request);
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
