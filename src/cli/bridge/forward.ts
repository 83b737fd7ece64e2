import type { Session } from '../command-context.ts';
import {
  BridgeError,
  connectionLost,
  daemonUnreachable,
  keyRejected,
  notADaemon,
  requestRejected,
} from './bridge-error.ts';
import { CONNECT_TIMEOUT, type Transport, type TransportResponse } from './http-transport.ts';
import { parseMessage } from './message.ts';
import type { SessionCache } from './session-cache.ts';

/** One message on its way to the daemon. */
export interface OutgoingMessage {
  body: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** The daemon's messages about one message, as JSON texts. Throws `BridgeError`, or the signal's reason. */
export type Forward = (parcel: OutgoingMessage) => AsyncGenerator<string>;

/** How a connection fails before anything was sent on it. */
const NOT_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', CONNECT_TIMEOUT],
  ...['ERR_INVALID_URL', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'],
]);

/**
 * Carries messages to the daemon under the key that is kept now. Where the key is refused or nobody answers, the
 * session is read once more (the person may have signed in anew, or to another daemon) before it counts as an outage.
 */
export function createForward({ keys, exchange }: { keys: SessionCache; exchange: Transport }): Forward {
  /** The answer, or `undefined` where the message certainly did not arrive. */
  async function post(session: Session, parcel: OutgoingMessage): Promise<TransportResponse | undefined> {
    try {
      return await exchange({ ...parcel, url: session.url, apiKey: session.apiKey });
    } catch (error) {
      if (parcel.signal.aborted) throw error;
      if (NOT_SENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw connectionLost(session.url);
    }
  }

  async function postUnderNewestKey(parcel: OutgoingMessage): Promise<{ answer: TransportResponse; url: string }> {
    let session = await keys.current();
    let answer = await post(session, parcel);
    if (answer === undefined || answer.status === 401) {
      const renewed = await keys.renewed(session);
      if (renewed) {
        session = renewed;
        answer = await post(session, parcel);
      }
    }
    if (answer === undefined) throw daemonUnreachable(session.url);
    if (answer.status === 401) throw keyRejected();
    return { answer, url: session.url };
  }

  return async function* forward(parcel) {
    const { answer, url } = await postUnderNewestKey(parcel);
    try {
      for await (const text of answer.messages()) yield protocolText(text, answer, url);
    } catch (error) {
      if (error instanceof BridgeError || parcel.signal.aborted) throw error;
      throw connectionLost(url);
    }
  };
}

/** The text as one line of JSON-RPC. Throws `BridgeError` for a problem document and for what is no svc at all. */
function protocolText(text: string, { status, retryAfterSeconds }: TransportResponse, url: string): string {
  const message = parseMessage(text) as Record<string, unknown> | undefined;
  if (message?.jsonrpc === '2.0') return text.includes('\n') ? JSON.stringify(message) : text;
  const { code, detail } = message ?? {};
  if (typeof code !== 'string' || typeof detail !== 'string') throw notADaemon(url, status);
  throw requestRejected(code, detail, retryAfterSeconds);
}
