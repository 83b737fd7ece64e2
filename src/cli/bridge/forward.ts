import { isDeviceToken } from '../../lib/secret.ts';
import type { Session } from '../command-context.ts';
import {
  BridgeError,
  connectionLost,
  daemonUnreachable,
  gatewayFailed,
  keyRejected,
  notADaemon,
  requestRejected,
} from './bridge-error.ts';
import { CONNECT_TIMEOUT, type Transport, type TransportResponse } from './http-transport.ts';
import { type Message, parseMessage } from './message.ts';
import type { SessionCache } from './session-cache.ts';

/** One message on its way to the daemon. */
interface OutgoingMessage {
  body: string;
  headers: Record<string, string>;
  isToolCall: boolean;
  signal: AbortSignal;
}

/** A message of the daemon, and the JSON text that it was parsed from. */
interface IncomingMessage {
  message: Message;
  text: string;
}

/**
 * Sends one message and yields the daemon's messages in response. Throws `BridgeError`, or the signal's
 * reason.
 */
export type Forward = (outgoing: OutgoingMessage) => AsyncGenerator<IncomingMessage>;

/** Error codes of connections that failed before anything was sent. */
const NOT_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', CONNECT_TIMEOUT],
  ...['ERR_INVALID_URL', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'],
]);

/**
 * Sends messages to the daemon with the stored key. If the key is rejected or the daemon does not respond, reads the
 * session once more before giving up: the user may have signed in again, or to another daemon.
 */
export function createForward({ sessions, transport }: { sessions: SessionCache; transport: Transport }): Forward {
  /** Returns the answer, or `undefined` if the message certainly did not arrive. */
  async function post(session: Session, outgoing: OutgoingMessage): Promise<TransportResponse | undefined> {
    try {
      return await transport({ ...outgoing, url: session.url, apiKey: session.apiKey });
    } catch (error) {
      if (outgoing.signal.aborted) throw error;
      if (NOT_SENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw connectionLost(session.url);
    }
  }

  async function postWithLatestKey(outgoing: OutgoingMessage): Promise<{ answer: TransportResponse; url: string }> {
    let session = await sessions.current();
    let answer = await post(session, outgoing);
    if (answer === undefined || answer.status === 401) {
      const renewed = await sessions.renewed(session);
      if (renewed) {
        session = renewed;
        answer = await post(session, outgoing);
      }
    }
    if (answer === undefined) throw daemonUnreachable(session.url);
    if (answer.status === 401) {
      const command = isDeviceToken(session.apiKey) ? 'svc login --device' : 'svc login';
      throw keyRejected(command, await endingIn(answer));
    }
    return { answer, url: session.url };
  }

  return async function* forward(outgoing) {
    const { answer, url } = await postWithLatestKey(outgoing);
    let isEmpty = true;
    try {
      for await (const text of answer.messages()) {
        isEmpty = false;
        yield protocolMessage(text, answer, url);
      }
      if (isEmpty && isOfGateway(answer)) throw gatewayFailed(url, answer.status);
    } catch (error) {
      if (error instanceof BridgeError || outgoing.signal.aborted) throw error;
      throw connectionLost(url);
    }
  };
}

/** Returns what a 401 says about a key that was valid once. */
async function endingIn(answer: TransportResponse): Promise<string | undefined> {
  for await (const text of answer.messages()) {
    const { detail, endedBy } = (parseMessage(text) ?? {}) as Record<string, unknown>;
    if (typeof detail === 'string' && endedBy !== undefined) return detail;
  }
  return undefined;
}

/** Whether a proxy answers for a daemon that it does not reach: those of HTTP, and 520 to 529 of Cloudflare. */
function isOfGateway({ status }: TransportResponse): boolean {
  return (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}

/** Returns a message of JSON-RPC, its text on one line. Throws `BridgeError` for a problem document or anything else. */
function protocolMessage(text: string, answer: TransportResponse, url: string): IncomingMessage {
  const message = parseMessage(text) as Record<string, unknown> | undefined;
  if (message?.jsonrpc === '2.0') return { message, text: text.includes('\n') ? JSON.stringify(message) : text };
  const { code, detail } = message ?? {};
  if (typeof code === 'string' && typeof detail === 'string') {
    throw requestRejected(code, detail, answer.retryAfterSeconds);
  }
  throw isOfGateway(answer) ? gatewayFailed(url, answer.status) : notADaemon(url, answer.status);
}
