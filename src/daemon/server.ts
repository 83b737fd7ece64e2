import type { IncomingMessage } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, LogController } from 'fastify';
import type { Ids } from '../lib/ids.ts';
import { onAnswer, reportAnswers } from './answered.ts';
import { answerBrokenRequest, refuseTunnels } from './broken-request.ts';
import { answerFrameworkError, guard, identify, protect } from './guard.ts';
import { addJsonParser, refuseUnneededBody } from './json-body.ts';
import { serializeListsInSlices } from './list-answers.ts';
import { type ApiDocument, completeDocument } from './openapi-document.ts';
import { answerOtherMethods } from './path-methods.ts';
import { addErrorHandlers } from './problems.ts';
import { compileWhenNeeded } from './schema-compilers.ts';

const DESCRIPTION = `Persistent memory for AI assistants.

- Send your API key as \`Authorization: Bearer svc_live_…\`. Another account's resource answers exactly as one that does not exist.
- Errors are problem documents (RFC 9457). Unknown fields and parameters are refused, and types are not coerced.
- Lists answer \`{data, nextCursor}\`. A cursor is opaque and valid only with the filters it was issued for.
- Every response carries the rate limit headers and \`X-Request-Id\`.
- Every path answers \`OPTIONS\` with 204 and \`Allow\`, and any other method that it does not support with 405. \`HEAD\` answers like \`GET\` without the body.
`;

const CREDENTIAL =
  'Your API key, which has every scope, or the token of a device, which has the scope `memory`. Scopes are `memory:read`, `memory` and `account`, each of which includes those before it: the security of an operation names the one that it needs.';

/** Serves the OpenAPI document at `/v1/openapi.json`. Call it before the routes are added. */
async function addApiDocument(app: FastifyInstance, version: string, publicUrl: () => string): Promise<void> {
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc',
        version,
        summary: 'Persistent memory for AI assistants',
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      } as { title: string; version: string },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_<32 hex>', description: CREDENTIAL },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-svc',
            description:
              'The session of the web app: see `POST /v1/session`. Without https its name is `svc_session`. Requests that change something need `X-Svc-Csrf` too.',
          },
        },
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
    transformObject: (generated) =>
      completeDocument((generated as unknown as { openapiObject: ApiDocument }).openapiObject, publicUrl()) as never,
  });
  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

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
function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
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

declare module 'fastify' {
  interface FastifyInstance {
    newRequestId(): string;
  }
}

export interface ServerOptions {
  log: FastifyBaseLogger;
  ids: Ids;
  version: string;
  publicUrl: () => string;
  trustProxy: string[] | undefined;
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[];
  timeouts: { headersMs: number; requestMs: number };
  guardParts: Parameters<typeof guard>[1];
  /** Routes that need no key. */
  publicRoutes: readonly FastifyPluginAsync[];
  /** Routes that require a valid credential. */
  protectedRoutes: readonly FastifyPluginAsync[];
  watch(app: FastifyInstance): void;
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Without a key: more than any sign-in needs, and too little to keep the daemon busy. */
const PUBLIC_BODY_LIMIT_BYTES = 16 * 1024;
/** Samples successful requests: logging each would halve the throughput. */
const LOG_ONE_SUCCESS_IN = 100;
const SLOW_MS = 1000;
/** Where people sign in, and where credentials and accounts are changed: all of these requests are logged. */
const SECURITY_ROUTE = /^\/v1\/(account|auth|connections|oauth|operator|session)(\/|$)/;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Creates the HTTP server with everything that all routes share. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, ids, trustProxy, timeouts, guardParts } = options;
  const parts = { ids, rateLimits: guardParts.rateLimits };
  const newRequestId = () => ids.next('req');
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: trustProxy ?? false,
    // Node's timeout would also cut off bodies that are streamed for minutes; see `enforceBodyTimeout`.
    requestTimeout: 0,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: Math.min(2000, timeouts.headersMs),
      // The guard rejects a missing Host header: Node would reject it before any hook runs.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4000, ignoreTrailingSlash: false },
    frameworkErrors: answerFrameworkError(guardParts),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, parts),
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorate('newRequestId', newRequestId);
  refuseTunnels(app, parts);
  compileWhenNeeded(app);
  addJsonParser(app);
  addErrorHandlers(app, guardParts.refusalPace);
  serializeListsInSlices(app);
  app.addHook('onRequest', async (request, reply) => identify(request, reply));
  allowOrigins(app, options.corsOrigins);
  enforceBodyTimeout(app, timeouts.requestMs);
  guard(app, guardParts);
  answerOtherMethods(app);
  reportAnswers(app);
  options.watch(app);
  logRequests(app);
  await addApiDocument(app, options.version, options.publicUrl);
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = PUBLIC_BODY_LIMIT_BYTES;
    });
    for (const routes of options.publicRoutes) await scope.register(routes);
  });
  await app.register(async (scope) => {
    protect(scope, guardParts.authentication);
    refuseUnneededBody(scope);
    for (const routes of options.protectedRoutes) await scope.register(routes);
  });
  return app;
}

function logRequests(app: FastifyInstance): void {
  let successes = 0;
  onAnswer(app, ({ request, requestId, status, milliseconds }) => {
    const ms = Math.round(milliseconds * 10) / 10;
    const { method, principal } = request;
    // The route's pattern, not the URL: sign-in URLs contain a token.
    const route = request.routeOptions.url ?? 'none';
    const isSecurityEvent = !SAFE_METHODS.has(method) && SECURITY_ROUTE.test(route);
    const quiet = status < 400 && ms < SLOW_MS && !isSecurityEvent;
    if (quiet && ++successes % LOG_ONE_SUCCESS_IN !== 1) return;
    app.log.info({ requestId, method, route, status, ms, tenantId: principal?.tenantId }, 'request');
  });
}

/**
 * Requires a body to arrive within `limitMs` of its headers, and otherwise fails like Node's own request timeout. Routes
 * that read their body as a stream are exempt.
 */
function enforceBodyTimeout(app: FastifyInstance, limitMs: number): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  // Runs before Fastify's own listener, so that the timer exists when `preParsing` looks it up.
  app.server.prependListener('request', (request: IncomingMessage) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return;
    const timer = setTimeout(() => {
      if (!request.complete) app.server.emit('clientError', late(), request.socket);
    }, limitMs);
    timers.set(request, timer);
    request.once('close', () => clearTimeout(timer));
  });
  app.addHook('preParsing', async (request) => {
    if (request.routeOptions.config.streamsBody) clearTimeout(timers.get(request.raw));
  });
}

function late(): Error {
  return Object.assign(new Error('The request body arrived too late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
