import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../contract/errors.ts';
import { PRIVATE_HEADERS } from '../features/connections/private-headers.ts';
import type { RateLimits } from '../features/limits/rate-limits.ts';
import type { Ids } from '../lib/ids.ts';
import { rateHeaders } from './guard.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from './problems.ts';

interface Parts {
  ids: Ids;
  rateLimits: RateLimits;
}

const MALFORMED = new AppError('invalid_request', 'Malformed HTTP request.');

/** Refusals of requests that never become Fastify requests, by the code of Node's error. */
const REFUSALS: Readonly<Record<string, AppError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new AppError('request_timeout', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: new AppError('headers_too_large', 'The request headers are too large.'),
};

/** Time for the last response to arrive before the connection is cut. */
const LINGER_MS = 500;

/** Answers malformed HTTP with the usual headers and problem document. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, parts: Parts): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(socket, REFUSALS[error.code ?? ''] ?? MALFORMED, parts);
}

/** Answers `CONNECT`, for which Node would close the connection. */
export function refuseTunnels(app: FastifyInstance, parts: Parts): void {
  const refusal = new AppError('invalid_request', 'This server is not a proxy: it does not support CONNECT.');
  app.server.on('connect', (_request, socket) => refuse(socket as Socket, refusal, parts));
}

async function refuse(socket: Socket, refusal: AppError, parts: Parts): Promise<void> {
  const { ids, rateLimits } = parts;
  socket.on('error', () => socket.destroy());
  // Read before awaiting: the socket may be gone afterwards.
  const decision = await rateLimits.take({ address: socket.remoteAddress ?? '' });
  const requestId = ids.next('req');
  const body = JSON.stringify(toProblem(refusal, requestId));
  const headers = {
    ...rateHeaders(decision),
    // Its path is not known: it may be that of a sign-in.
    ...PRIVATE_HEADERS,
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': PROBLEM_MEDIA_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = refusal;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  // Node no longer tracks this connection: if the client kept its end open, it would leak.
  setTimeout(() => socket.destroy(), LINGER_MS);
}
