import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { equalSecrets } from '../../lib/secret.ts';

/** Receives the code from the browser on this computer. */
export interface LoopbackServer {
  port: number;
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** The expected states: the challenges of the links that this terminal requested. */
  states(): string[];
  /** Called with a code that arrives with one of these states. */
  onCode(received: { code: string; state: string }): void;
}

const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>svc</title>
<p>Your terminal has the code. You may close this page.</p></html>
`;

/**
 * Listens on 127.0.0.1 only. Any page open in the browser can send requests here, so a code is accepted only with the
 * state that this sign-in's page knows, and only if the Host header is the address itself, which defeats DNS rebinding.
 */
export async function startLoopbackServer(options: LoopbackOptions): Promise<LoopbackServer> {
  const server = createServer((request, response) => answer(request, response, port(), options));
  const port = () => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return {
    port: port(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, port: number, options: LoopbackOptions): void {
  const { status, body, received } = evaluate(request, port, options);
  send(response, status, body);
  if (received) options.onCode(received);
}

interface Evaluation {
  status: number;
  body: string;
  received?: { code: string; state: string };
}

function evaluate(
  { url = '', method, headers }: IncomingMessage,
  port: number,
  { states }: LoopbackOptions,
): Evaluation {
  const origin = `http://127.0.0.1:${port}`;
  if (headers.host !== `127.0.0.1:${port}` || !url.startsWith('/') || !URL.canParse(origin + url)) {
    return { status: 400, body: 'Wrong host.\n' };
  }
  const { pathname, searchParams } = new URL(origin + url);
  if (method !== 'GET' || pathname !== '/callback') return { status: 404, body: 'Not found.\n' };
  const state = searchParams.get('state') ?? '';
  const code = searchParams.get('code') ?? '';
  const expected = states().filter((known) => equalSecrets(known, state));
  if (expected.length === 0 || code === '') return { status: 400, body: 'Unknown sign-in.\n' };
  return { status: 200, body: PAGE, received: { code, state } };
}

function send(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, {
      'content-type': status === 200 ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(body);
}
