import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, LogController } from 'fastify';
import type { Ids } from '../lib/ids.ts';
import { onAnswer, reportAnswers } from './answered.ts';
import { enforceBodyTimeout } from './body-timeout.ts';
import { answerBrokenRequest, refuseTunnels } from './broken-request.ts';
import { allowOrigins } from './cors.ts';
import { answerFrameworkError, guard, identify, protect } from './guard.ts';
import { addJsonParser, refuseUnneededBody } from './json-body.ts';
import { serializeListsInSlices } from './list-answers.ts';
import { addApiDocument } from './openapi.ts';
import { answerOtherMethods } from './path-methods.ts';
import { addErrorHandlers } from './problems.ts';
import { compileWhenNeeded } from './schema-compilers.ts';

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
