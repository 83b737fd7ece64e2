import type { FastifyInstance } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Protocol-Version, X-Svc-Space';
const EXPOSED_HEADERS =
  'ETag, Location, Retry-After, Idempotency-Replayed, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy';
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Allows pages of exactly these origins to call the API from a browser. Never with credentials: such a page sends its own
 * API key, not the browser's cookies. Call it before the guard, so that refused requests are readable too.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (!url.startsWith('/v1/')) return;
    reply.header('Vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !allowed.has(origin)) return;
    reply.header('Access-Control-Allow-Origin', origin);
    if (method === 'OPTIONS') {
      reply
        .header('Access-Control-Allow-Methods', METHODS)
        .header('Access-Control-Allow-Headers', REQUEST_HEADERS)
        .header('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_SECONDS);
    } else reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  });
}
