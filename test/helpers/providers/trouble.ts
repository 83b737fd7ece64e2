import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Frames, Reply, SeenRequest } from './wire.ts';

/**
 * Ways in which a server misbehaves. `huge`, `bomb` and `drip` never end: a large body, a compressed one, and a slow
 * trickle; `redirect` leads to `redirectTo`.
 */
export type Trouble = Reply | Frames | 'hang' | 'hang-mid-body' | 'huge' | 'bomb' | 'drip' | 'redirect' | 'reset';

/** Misbehaves instead of responding. */
export function makeTrouble(
  trouble: Trouble,
  seen: SeenRequest,
  response: ServerResponse,
  state: { redirectTo: string; troubleStatus: number; bytesSent: number },
): void {
  const streaming = seen.body?.stream === true || seen.query.get('alt') === 'sse';
  const type = { 'content-type': streaming ? 'text/event-stream' : 'application/json' };
  if (typeof trouble === 'object') send(response, trouble, seen);
  else if (trouble === 'reset') response.socket?.resetAndDestroy();
  else if (trouble === 'redirect') response.writeHead(302, { location: state.redirectTo }).end();
  else if (trouble === 'hang-mid-body') response.writeHead(200, type).write(streaming ? ': here\n\n' : '{"data":');
  else if (trouble === 'drip') drip(response.writeHead(200, type));
  else if (trouble !== 'hang') {
    response.writeHead(state.troubleStatus, { ...type, ...(trouble === 'bomb' && { 'content-encoding': 'gzip' }) });
    pourOut(response, trouble === 'bomb', (bytes) => {
      state.bytesSent += bytes;
    });
  }
}

/** Sends a complete response or a stream of events. */
export function send(response: ServerResponse, reply: Reply | Frames, seen: SeenRequest): void {
  if ('frames' in reply) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const frame of reply.frames) response.write(frame);
    response.end();
    return;
  }
  const { status = 200, headers = {}, body = {} } = reply;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { authorization, 'x-api-key': key = authorization, 'x-goog-api-key': shown = key } = seen.headers;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(status >= 400 ? text.replaceAll('KEY', String(shown).replace(/^Bearer /, '')) : text);
}

function drip(response: ServerResponse): void {
  const dripping = setInterval(() => response.write(': still here\n\n'), 20);
  response.on('close', () => clearInterval(dripping));
}

const MEGABYTE = Buffer.alloc(1024 * 1024, ' ');
/** A member of a gzip stream, which may have any number of them. */
const COMPRESSED_MEGABYTE = gzipSync(MEGABYTE);

function pourOut(response: ServerResponse, compressed: boolean, count: (bytes: number) => void): void {
  const pour = () => {
    let more = true;
    while (more && !response.destroyed) {
      more = response.write(compressed ? COMPRESSED_MEGABYTE : MEGABYTE);
      count(MEGABYTE.length);
    }
  };
  response.on('drain', pour);
  pour();
}
