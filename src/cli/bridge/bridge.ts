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
  exchange: Transport;
  /** Ends the bridge at once. */
  stop: AbortSignal;
}

/** After the input's end, answers that are under way have this long to arrive. */
const DRAIN_MS = 1500;
/** What was cancelled has this long to put things away. */
const SETTLE_MS = 200;

/**
 * The stdio side of svc's MCP door: each line goes to the daemon as it came, each answer comes back as it is. The
 * bridge knows of the protocol only what HTTP wants repeated in headers, so both eras pass through it alike. Resolves
 * when the input has ended or `stop` fires.
 */
export async function runBridge({ input, session, exchange, stop, ...rest }: BridgeDependencies): Promise<void> {
  const relay = createRelay({ ...rest, forward: createForward({ keys: createSessionCache(session), exchange }) });
  const underWay = new Map<unknown, { cancel: AbortController; done: Promise<void> }>();

  function take(line: string): void {
    const message = parseMessage(line);
    if (!message) rest.write(errorForLine(line));
    else if (message.method === 'notifications/cancelled') {
      // Over HTTP a request is cancelled by hanging up, in both eras.
      underWay.get(message.params?.requestId)?.cancel.abort();
    } else {
      const key = isRequest(message) ? message.id : Symbol('wants no answer');
      const cancel = new AbortController();
      const done = relay(message, line, cancel.signal).finally(() => underWay.delete(key));
      underWay.set(key, { cancel, done });
    }
  }

  async function readAll(): Promise<void> {
    for await (const line of textLines(input)) if (line.trim() !== '') take(line);
    await allDone(DRAIN_MS);
  }

  async function allDone(withinMs: number): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, withinMs));
    await Promise.race([Promise.all([...underWay.values()].map(({ done }) => done)), late]);
  }

  await Promise.race([readAll(), aborted(stop)]);
  for (const { cancel } of underWay.values()) cancel.abort();
  await allDone(SETTLE_MS);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A line that is no single message. Several in one are of a revision that nobody speaks any more. */
function errorForLine(line: string): string {
  const refusal = line.trimStart().startsWith('[')
    ? rpcError(null, RPC_ERROR.invalid, 'Batches are not accepted: send one message a line')
    : rpcError(null, RPC_ERROR.parse, 'The line is not one JSON object');
  return JSON.stringify(refusal);
}
