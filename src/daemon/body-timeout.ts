import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Requires a body to arrive within `limitMs` of its headers, and otherwise fails like Node's own request timeout. Routes
 * that read their body as a stream are exempt.
 */
export function enforceBodyTimeout(app: FastifyInstance, limitMs: number): void {
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
