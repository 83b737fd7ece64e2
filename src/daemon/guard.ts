import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UNAUTHENTICATED } from '../contract/account.ts';
import { AppError } from '../contract/errors.ts';
import type { Keys, Principal } from '../features/keys/keys.ts';
import type { RateDecision, RateLimits } from '../features/limits/rate-limits.ts';
import type { Usage } from '../features/limits/usage.ts';
import { sendProblem, toAppError } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set on every route of the protected scope. */
    principal: Principal;
    /** Why it is not known who calls. */
    lookupFailure?: AppError;
  }
}

interface Parts {
  keys: Keys;
  rateLimits: RateLimits;
  usage: Usage;
}

/** Asked by machines every few seconds: they carry the headers but take no token, and need no database. */
const UNCOUNTED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Stands before every request, of every route and of none: finds the principal, takes a token from its bucket (or the
 * address's) and sets the headers. Throws `rate_limited`; a failure to look the key up is kept for `protect`, so that
 * public routes go on without a database.
 */
export function guard(app: FastifyInstance, parts: Parts): void {
  app.decorateRequest('principal');
  // Node would refuse an unknown expectation by itself, past every hook; a server may ignore it (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request, reply) => {
    if (UNCOUNTED.has(request.routeOptions.url ?? '')) {
      reply.headers(rateHeaders(parts.rateLimits.take({ address: request.ip }, 0)));
    } else await admit(request, reply, parts);
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new AppError('invalid_request', 'The request has no Host header.');
    }
  });
}

/**
 * Answers what Fastify refuses before it looks for a route, past every hook (a path that cannot be decoded, say): the
 * same count, the same headers, the same problem document.
 */
export function answerFrameworkError(parts: Parts) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = await admit(request, reply, parts).catch(toAppError);
    const problem = refusal ?? toAppError(error);
    sendProblem(problem, problem, request, reply);
  };
}

async function admit(request: FastifyRequest, reply: FastifyReply, { keys, rateLimits, usage }: Parts): Promise<void> {
  // Read before the wait: who hangs up meanwhile has no address any more.
  const address = request.ip;
  const apiKey = bearerOf(request);
  const found = apiKey && (await keys.authenticate(apiKey).catch((error: AppError) => error));
  const known = found && !(found instanceof AppError) ? found : undefined;
  const decision = rateLimits.take(known ?? { address });
  reply.headers(rateHeaders(decision));
  if (!decision.allowed) {
    const options = { retryAfterSeconds: decision.retryAfterSeconds };
    throw new AppError('rate_limited', `The limit is ${decision.limit} requests a minute.`, options);
  }
  if (known) {
    request.principal = known;
    usage.countRequest(known.tenantId);
  }
  if (found instanceof AppError) request.lookupFailure = found;
}

/** Makes a scope one that only a valid key enters. */
export function protect(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => {
    if (request.lookupFailure) throw request.lookupFailure;
    if (!request.principal) throw new AppError('unauthenticated', UNAUTHENTICATED);
  });
}

/** The three headers of the specification, and the draft fields of the IETF beside them. */
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
