import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * A body must have arrived `limitMs` after its headers; who is later is answered as Node itself would do it, but for
 * routes that read their body as a stream.
 */
export function enforceBodyTimeout(app: FastifyInstance, limitMs: number): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  // Ahead of Fastify, so that the timer is there when a route asks for it.
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
  return Object.assign(new Error('The body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
