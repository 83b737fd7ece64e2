import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Ajv, type ErrorObject } from 'ajv';
import addFormatsModule from 'ajv-formats';
import fastJsonStringify from 'fast-json-stringify';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  LogController,
  type RouteOptions,
} from 'fastify';
import { AppError } from '../contract/errors.ts';
import type { Ids } from '../lib/ids.ts';
import { onAnswer, reportAnswers } from './answered.ts';
import { answerBrokenRequest, refuseTunnels } from './broken-request.ts';
import { answerFrameworkError, guard, identify, protect } from './guard.ts';
import { addJsonParser, refuseEncodedBodies, refuseUnneededBody, serializeListsInSlices } from './json-body.ts';
import { type ApiDocument, completeDocument } from './openapi-document.ts';
import { addErrorHandlers, noSuchPath } from './problems.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Compiles the schemas that no request needed yet, with a pause after each, which takes 2 ms on average. */
    compileSchemas(pauseMs: number): Promise<void>;
  }
}

/** Schema of query or path parameters. */
interface TextSchema {
  properties?: Record<string, { type?: string }>;
}

type Validated = true | { error: ErrorObject[] };

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/**
 * Validates bodies strictly, without coercion or dropping fields; query strings are text and coerced to their schema.
 * Compiles each schema when a request first needs it: compiling all of them would take half of the startup time.
 */
function compileWhenNeeded(app: FastifyInstance): void {
  // Tests check the document of the API, which has the same schemas, so that no start has to.
  const options = { allErrors: false, strict: false, validateSchema: false, meta: false };
  const body = new Ajv({ ...options, discriminator: true });
  const text = new Ajv({ ...options, coerceTypes: true, useDefaults: true });
  addFormats(body);
  addFormats(text);
  const pending: (() => unknown)[] = [];

  function once<T>(compile: () => T): () => T {
    let compiled: T | undefined;
    const get = () => (compiled ??= compile());
    pending.push(get);
    return get;
  }

  app.setValidatorCompiler<TextSchema>(({ schema, httpPart }) => {
    const compiled = once(() => (httpPart === 'body' ? body : text).compile(schema));
    const validate = (values: unknown): Validated => compiled()(values) || { error: compiled().errors ?? [] };
    return httpPart === 'body' ? validate : requirePlainIntegers(schema, validate);
  });
  app.setSerializerCompiler(({ schema }) => {
    const compiled = once(() => fastJsonStringify(schema));
    return (value) => compiled()(value);
  });
  app.decorate('compileSchemas', async (pauseMs) => {
    for (const compile of pending.splice(0)) {
      compile();
      await sleep(pauseMs, undefined, { ref: false });
    }
  });
}

const NOT_AN_INTEGER = { keyword: 'type', schemaPath: '', params: {}, message: 'must be a decimal integer' };

/** Coercion alone would accept `1e1`, `0x5` and ` 5`. */
function requirePlainIntegers(
  { properties = {} }: TextSchema,
  validate: (values: unknown) => Validated,
): (values: Record<string, unknown>) => Validated {
  const integers = Object.entries(properties).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));
  return (values) => {
    const name = integers.find((one) => values[one] !== undefined && !/^-?\d+$/.test(String(values[one])));
    return name === undefined ? validate(values) : { error: [{ instancePath: `/${name}`, ...NOT_AN_INTEGER }] };
  };
}

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
  'Anthropic-Beta, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, X-Api-Key, X-Svc-Space';
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
  refuseEncodedBodies(app);
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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route exists only to refuse its methods: `Allow` does not list them. */
    refusesMethod?: boolean;
    /** The route is the operator's: unknown to others, and no credential of an account counts. */
    isOperatorRoute?: boolean;
  }
}

interface KnownPath {
  pattern: RegExp;
  methods: Set<string>;
}

/**
 * Answers requests for a known path with a method that it does not support: `OPTIONS` with 204, anything else with
 * `method_not_allowed`, both with `Allow`. Call it before the routes are added.
 */
function answerOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (methods.includes('HEAD')) omitLengthOfNoContent(route);
    if (route.config?.refusesMethod || route.config?.isOperatorRoute) return;
    const known = paths.get(route.url) ?? { pattern: patternOf(route.url), methods: new Set(['OPTIONS']) };
    for (const method of methods) known.methods.add(method);
    paths.set(route.url, known);
  });
  app.addHook('onRequest', async (request, reply) => {
    const path = decoded(request.url.split('?', 1)[0]!);
    const fixed = paths.get(path);
    // The router takes the last segment of a fixed path for an id where only another route has the method.
    const isTakenForId = fixed !== undefined && request.routeOptions.url !== path;
    if (!request.is404 && !isTakenForId) return;
    const allowed = fixed ? [...fixed.methods].sort() : methodsOf(path, paths.values());
    // Thrown before the body is parsed.
    if (allowed.length === 0) throw noSuchPath();
    reply.header('Allow', allowed.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `This path does not support ${request.method}, only ${allowed.join(', ')}.`;
    throw new AppError('method_not_allowed', message);
  });
}

/** Fastify gives every empty answer to HEAD a length of 0, but GET would not send one with a 204 or 304. */
function omitLengthOfNoContent(route: RouteOptions): void {
  const omit: RouteOptions['onSend'] = async (_request, reply, payload) => {
    if (reply.statusCode === 204 || reply.statusCode === 304) reply.removeHeader('content-length');
    return payload;
  };
  route.onSend = [route.onSend ?? [], omit].flat();
}

function methodsOf(path: string, paths: Iterable<KnownPath>): string[] {
  const matching = [...paths].filter(({ pattern }) => pattern.test(path));
  return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
}

/** Leaves encoded slashes encoded, as the router does. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function patternOf(route: string): RegExp {
  const segments = route.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]+';
    return segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
