import type { Session } from '../command-context.ts';
import { type Exchange, type Incoming, NO_CONNECTION } from './exchange.ts';
import type { KeySource } from './key-source.ts';
import { parseMessage } from './message.ts';
import { brokenOff, keyRefused, noDaemon, Outage, refused, unreachable } from './outage.ts';

/** One message on its way to the daemon. */
export interface Parcel {
  body: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** The daemon's messages about one message, as JSON texts. Throws `Outage`, or the signal's reason. */
export type Forward = (parcel: Parcel) => AsyncGenerator<string>;

/** How a connection fails before anything was sent on it. */
const NOT_ARRIVED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', NO_CONNECTION],
  ...['ERR_INVALID_URL', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'],
]);

/**
 * Carries messages to the daemon under the key that is kept now. Where the key is refused or nobody answers, the
 * session is read once more (the person may have signed in anew, or to another daemon) before it counts as an outage.
 */
export function createForward({ keys, exchange }: { keys: KeySource; exchange: Exchange }): Forward {
  /** The answer, or `undefined` where the message certainly did not arrive. */
  async function post(session: Session, parcel: Parcel): Promise<Incoming | undefined> {
    try {
      return await exchange({ ...parcel, url: session.url, apiKey: session.apiKey });
    } catch (error) {
      if (parcel.signal.aborted) throw error;
      if (NOT_ARRIVED.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw brokenOff(session.url);
    }
  }

  async function postUnderNewestKey(parcel: Parcel): Promise<{ answer: Incoming; url: string }> {
    let session = await keys.current();
    let answer = await post(session, parcel);
    if (answer === undefined || answer.status === 401) {
      const renewed = await keys.renewed(session);
      if (renewed) {
        session = renewed;
        answer = await post(session, parcel);
      }
    }
    if (answer === undefined) throw unreachable(session.url);
    if (answer.status === 401) throw keyRefused();
    return { answer, url: session.url };
  }

  return async function* forward(parcel) {
    const { answer, url } = await postUnderNewestKey(parcel);
    try {
      for await (const text of answer.messages()) yield protocolText(text, answer, url);
    } catch (error) {
      if (error instanceof Outage || parcel.signal.aborted) throw error;
      throw brokenOff(url);
    }
  };
}

/** The text as one line of JSON-RPC. Throws `Outage` for a problem document and for what is no svc at all. */
function protocolText(text: string, { status, retryAfterSeconds }: Incoming, url: string): string {
  const message = parseMessage(text) as Record<string, unknown> | undefined;
  if (message?.jsonrpc === '2.0') return text.includes('\n') ? JSON.stringify(message) : text;
  const { code, detail } = message ?? {};
  if (typeof code !== 'string' || typeof detail !== 'string') throw noDaemon(url, status);
  throw refused(code, detail, retryAfterSeconds);
}
