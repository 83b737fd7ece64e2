import type { Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

const LOOK_EVERY_MS = 20;

/** The way in: knows which requests are under way. */
export interface ConnectionDrain {
  /** Lets nobody in any more, waits for the requests under way, then hangs up on who is connected but asks nothing. */
  close(): Promise<void>;
}

/** Watches a server that does not listen yet. */
export function trackConnections(app: FastifyInstance): ConnectionDrain {
  const server: Server = app.server;
  const underWay = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return {
    async close() {
      // A browser connects in advance, and Node would wait for its first request for ever.
      const timer = setInterval(() => {
        if (!server.listening && underWay.size === 0) server.closeAllConnections();
      }, LOOK_EVERY_MS);
      await app.close();
      clearInterval(timer);
    },
  };
}
