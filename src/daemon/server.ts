import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, LogController } from 'fastify';
import { AppError } from '../contract/errors.ts';
import type { Ids } from '../lib/ids.ts';
import { enforceBodyTimeout } from './body-timeout.ts';
import { answerFrameworkError, guard, protect, rateHeaders } from './guard.ts';
import { addJsonParser } from './json-body.ts';
import { addErrorHandlers, toProblem } from './problems.ts';

export interface ServerOptions {
  log: FastifyBaseLogger;
  ids: Ids;
  version: string;
  trustProxy: string[] | undefined;
  timeouts: { headersMs: number; requestMs: number };
  guardParts: Parameters<typeof guard>[1];
  /** Anyone may enter. */
  publicRoutes: readonly FastifyPluginAsync[];
  /** Only a valid key enters. */
  protectedRoutes: readonly FastifyPluginAsync[];
  watch(app: FastifyInstance): void;
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Of so many successes, one is logged: a line for each would cost half the throughput. */
const LOG_ONE_SUCCESS_IN = 100;
const SLOW_MS = 1000;
/** For the last answer on a connection to arrive before it is cut. */
const LINGER_MS = 500;

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** The HTTP server with everything that is the same for all routes. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, ids, trustProxy, timeouts, guardParts } = options;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => ids.next('req'),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: trustProxy ?? false,
    // Node would count a stream that is read for minutes too.
    requestTimeout: 0,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: Math.min(2000, timeouts.headersMs),
      // The guard refuses a missing Host: Node's own refusal would pass every hook.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false },
    frameworkErrors: answerFrameworkError(guardParts),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, options),
  }).withTypeProvider<TypeBoxTypeProvider>();

  validateStrictly(app);
  addJsonParser(app);
  addErrorHandlers(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff').header('X-Request-Id', request.id);
  });
  enforceBodyTimeout(app, timeouts.requestMs);
  guard(app, guardParts);
  options.watch(app);
  logRequests(app);
  await describe(app, options.version);
  await app.register(async (scope) => {
    for (const routes of options.publicRoutes) await scope.register(routes);
  });
  await app.register(async (scope) => {
    protect(scope);
    for (const routes of options.protectedRoutes) await scope.register(routes);
  });
  return app;
}

/** Bodies as they are: no coercion, no silent dropping. Query strings are text and are read as their schema says. */
function validateStrictly(app: FastifyInstance): void {
  const body = new Ajv({ allErrors: false, strict: false });
  const text = new Ajv({ allErrors: false, strict: false, coerceTypes: true, useDefaults: true });
  addFormats(body);
  addFormats(text);
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? body : text).compile(schema));
}

function logRequests(app: FastifyInstance): void {
  let successes = 0;
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const quiet = reply.statusCode < 400 && ms < SLOW_MS;
    if (quiet && ++successes % LOG_ONE_SUCCESS_IN !== 1) return;
    const { method, principal } = request;
    // The route's pattern, not the address: that of a sign-in holds its token.
    const route = request.routeOptions.url ?? 'none';
    request.log.info({ method, route, status: reply.statusCode, ms, tenantId: principal?.tenantId }, 'request');
  });
}

async function describe(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'svc', version, description: 'Persistent memory for AI assistants' },
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_<32 hex>' } },
      },
      security: [{ apiKey: [] }],
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // On plain http to another machine it would send the page's own files to https.
    transformStaticCSP: (policy) => policy.replace('upgrade-insecure-requests;', ''),
    logLevel: 'warn',
  });
  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

/** What is no HTTP never becomes a request; it too is answered, with the headers that every response carries. */
function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  { guardParts, ids }: ServerOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const long = error.code === 'HPE_HEADER_OVERFLOW';
  const line = slow ? '408 Request Timeout' : long ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const detail = slow
    ? 'The request took too long to arrive.'
    : long
      ? 'The headers are too large.'
      : 'This is no HTTP request.';
  const body = JSON.stringify({
    ...toProblem(new AppError('invalid_request', detail), ids.next('req')),
    status: Number(line.slice(0, 3)),
  });
  const headers = {
    ...rateHeaders(guardParts.rateLimits.take({ address: socket.remoteAddress ?? '' })),
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${line}\r\n${head.join('')}\r\n${body}`);
  // Node no longer watches this connection: one whose other end stays open would be kept for ever.
  setTimeout(() => socket.destroy(), LINGER_MS);
}
