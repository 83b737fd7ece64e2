import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

/** Serves https with a certificate, on this machine. */
export async function startHttpsServer(
  { certificateFile, keyFile }: Certificate,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
