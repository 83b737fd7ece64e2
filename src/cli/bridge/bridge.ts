import type { Session } from '../command-context.ts';
import { textLines } from '../text-lines.ts';
import { createForward } from './forward.ts';
import type { Transport } from './http-transport.ts';
import { isRequest, parseMessage, RPC_ERROR, rpcError } from './message.ts';
import { createRelay, type RelayDependencies } from './relay.ts';
import { createSessionCache } from './session-cache.ts';

export interface BridgeDependencies extends Omit<RelayDependencies, 'forward'> {
  input: AsyncIterable<Uint8Array>;
  session(): Promise<Session>;
  transport: Transport;
  /** Ends the bridge at once. */
  stop: AbortSignal;
}

/** How long to wait for pending answers once the input has ended. */
const DRAIN_MS = 1500;
/** How long cancelled requests have to clean up. */
const SETTLE_MS = 200;

/**
 * Connects MCP over stdio to the daemon's HTTP endpoint, passing messages through unchanged. It understands only the
 * parts of the protocol that HTTP repeats in headers, so both protocol eras work the same way. Resolves when the input
 * has ended or `stop` fires.
 */
export async function runBridge({ input, session, transport, stop, ...rest }: BridgeDependencies): Promise<void> {
  const relay = createRelay({ ...rest, forward: createForward({ sessions: createSessionCache(session), transport }) });
  const pending = new Map<unknown, { cancel: AbortController; done: Promise<void> }>();

  function accept(line: string): void {
    const message = parseMessage(line);
    if (!message) rest.write(errorForLine(line));
    else if (message.method === 'notifications/cancelled') {
      // In both eras, closing the connection cancels a request over HTTP.
      pending.get(message.params?.requestId)?.cancel.abort();
    } else {
      const key = isRequest(message) ? message.id : Symbol('notification');
      const cancel = new AbortController();
      const done = relay(message, line, cancel.signal).finally(() => pending.delete(key));
      pending.set(key, { cancel, done });
    }
  }

  async function readAll(): Promise<void> {
    for await (const line of textLines(input)) if (line.trim() !== '') accept(line);
    await allDone(DRAIN_MS);
  }

  async function allDone(withinMs: number): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, withinMs));
    await Promise.race([Promise.all([...pending.values()].map(({ done }) => done)), timeout]);
  }

  await Promise.race([readAll(), aborted(stop)]);
  for (const { cancel } of pending.values()) cancel.abort();
  await allDone(SETTLE_MS);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The error for a line that is not a single message. Only an obsolete protocol revision had batches. */
function errorForLine(line: string): string {
  const response = line.trimStart().startsWith('[')
    ? rpcError(null, RPC_ERROR.invalid, 'Batches are not supported: send one message per line')
    : rpcError(null, RPC_ERROR.parse, 'The line is not a JSON object');
  return JSON.stringify(response);
}
