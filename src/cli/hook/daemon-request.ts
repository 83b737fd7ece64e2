import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { SPACE_HEADER } from '../../contract/space-names.ts';

/** The daemon that a hook talks to. */
export interface HookDaemon {
  url: string;
  apiKey: string;
  /** The id of the space to act in, if not the own account. */
  space?: string | undefined;
  /** Aborts shortly before the hook must end. */
  signal: AbortSignal;
}

/** The daemon's response; `json` is `undefined` if it is not JSON. */
export interface HookResponse {
  status: number;
  json: unknown;
}

/** The connection failed, or time was up, before anything was sent. */
export class NotSent extends Error {}

/**
 * Sends one request, never again: a hook has no time for a second attempt. Rejects if the connection fails or time is up, with
 * `NotSent` if the daemon cannot have got it.
 */
export async function requestDaemon(
  { url, apiKey, space, signal }: HookDaemon,
  method: 'GET' | 'POST',
  path: string,
  { body, idempotencyKey }: { body?: unknown; idempotencyKey?: string } = {},
): Promise<HookResponse> {
  const target = new URL(path, url);
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    ...(space !== undefined && { [SPACE_HEADER]: space }),
    'user-agent': 'svc-hook',
    'content-length': Buffer.byteLength(text),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  // Loaded when something listens: without a daemon, a hook has nothing to wait for.
  const { request } = await (target.protocol === 'https:' ? import('node:https') : import('node:http'));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(target, { method, headers, signal }, resolve);
    let isConnected = false;
    sent.once('socket', (socket: Socket) => {
      const connected = () => {
        isConnected = true;
      };
      if (!socket.connecting) connected();
      else socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    sent.once('error', (error) => reject(isConnected ? error : new NotSent(error.message, { cause: error })));
    sent.end(text);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, json: parsed(Buffer.concat(chunks).toString('utf8')) };
}

/** Whether something listens at the daemon's address: known before the key was read, which takes longer. */
export function isListening(url: string, signal: AbortSignal): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), signal });
    const settle = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
