import type { Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

const POLL_MS = 20;

/** Graceful shutdown of an HTTP server. */
export interface ConnectionDrain {
  /** Stops accepting connections, waits for the requests in flight, then closes idle connections. */
  close(): Promise<void>;
}

/** Tracks the requests of a server. Call it before the server listens. */
export function trackConnections(app: FastifyInstance): ConnectionDrain {
  const server: Server = app.server;
  const inFlight = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
  });
  return {
    async close() {
      // Browsers open connections in advance, and Node would wait for their first request forever.
      const timer = setInterval(() => {
        if (!server.listening && inFlight.size === 0) server.closeAllConnections();
      }, POLL_MS);
      await app.close();
      clearInterval(timer);
    },
  };
}
