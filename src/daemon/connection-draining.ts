import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const POLL_MS = 20;

/** Graceful shutdown of an HTTP server. */
export interface ConnectionDrain {
  /**
   * Stops accepting connections, waits for the requests in flight, then closes idle connections. After `limitMs` it cuts off
   * what is left: a client that reads nothing would hold up the rest. Resolves to how many requests were cut off.
   */
  close(limitMs: number): Promise<number>;
}

/** Tracks the requests of a server. Call it before the server listens. */
export function trackConnections(app: FastifyInstance): ConnectionDrain {
  const server: Server = app.server;
  /** By connection: pipelined responses that still wait when it ends never close. */
  const inFlight = new Map<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }, response: ServerResponse) => {
    let ofSocket = inFlight.get(socket);
    if (!ofSocket) {
      ofSocket = new Set();
      inFlight.set(socket, ofSocket);
      socket.once('close', () => inFlight.delete(socket));
    }
    ofSocket.add(response);
    response.once('close', () => ofSocket.delete(response));
  });
  const count = () => [...inFlight.values()].reduce((sum, { size }) => sum + size, 0);
  return {
    async close(limitMs) {
      let left = 0;
      // Browsers open connections in advance, and Node would wait for their first request forever.
      const timer = setInterval(() => {
        if (!server.listening && count() === 0) server.closeAllConnections();
      }, POLL_MS);
      const cutOff = setTimeout(() => {
        left = count();
        server.closeAllConnections();
      }, limitMs);
      await app.close();
      clearInterval(timer);
      clearTimeout(cutOff);
      return left;
    },
  };
}
