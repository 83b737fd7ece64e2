import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../contract/errors.ts';
import type { Keys, Principal } from '../features/keys/keys.ts';
import type { RateDecision, RateLimits } from '../features/limits/rate-limits.ts';
import type { Usage } from '../features/limits/usage.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set on every route of the protected scope. */
    principal: Principal;
  }
}

interface Parts {
  keys: Keys;
  rateLimits: RateLimits;
  usage: Usage;
}

/** Asked by machines every few seconds: they carry the headers but take no token. */
const UNCOUNTED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Stands before every request, of every route and of none: finds the principal, takes a token from its bucket (or the
 * address's) and sets the headers. Throws `rate_limited`; a failure to look the key up is kept for `protect`, so that
 * public routes go on without a database.
 */
export function guard(app: FastifyInstance, { keys, rateLimits, usage }: Parts): void {
  app.decorateRequest('principal');
  app.addHook('onRequest', async (request, reply) => {
    const apiKey = bearerOf(request);
    const principal = apiKey && (await keys.authenticate(apiKey).catch((error: AppError) => error));
    const known = principal && !(principal instanceof AppError) ? principal : undefined;
    const cost = UNCOUNTED.has(request.routeOptions.url ?? '') ? 0 : 1;
    const decision = rateLimits.take(known ?? { address: request.ip }, cost);
    setRateHeaders(reply, decision);
    if (!decision.allowed && cost > 0) {
      const options = { retryAfterSeconds: decision.retryAfterSeconds };
      throw new AppError('rate_limited', `The limit is ${decision.limit} requests a minute.`, options);
    }
    if (known) {
      request.principal = known;
      usage.countRequest(known.tenantId);
    }
    if (principal instanceof AppError) request.lookupFailure = principal;
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    lookupFailure?: AppError;
  }
}

/** Makes a scope one that only a valid key enters. */
export function protect(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (request.lookupFailure) throw request.lookupFailure;
    if (request.principal) return;
    const sent = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    reply.header('WWW-Authenticate', `Bearer realm="svc"${sent}`);
    throw new AppError(
      'unauthenticated',
      'Send a valid API key as "Authorization: Bearer svc_live_…". svc login makes one.',
    );
  });
}

/** The three headers of the specification, and the draft fields of the IETF beside them. */
export function setRateHeaders(reply: FastifyReply, decision: RateDecision): void {
  reply.headers(rateHeaders(decision));
}

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

/** The one bearer key of a request; two headers are none. */
function bearerOf({ headers, raw }: FastifyRequest): string | undefined {
  const text = headers.authorization;
  if (text === undefined) return undefined;
  const count = raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  return count === 1 ? /^Bearer +(\S+)$/i.exec(text)?.[1] : undefined;
}
