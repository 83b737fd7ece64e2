import { createServer } from 'node:net';

/**
 * Returns a port of 127.0.0.1 that nobody listens on. It lies below the ephemeral range, from which a client that
 * reconnects to a stopped server could get the server's own port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
