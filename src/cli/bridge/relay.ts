import { BridgeError } from './bridge-error.ts';
import type { Forward } from './forward.ts';
import { isRequest, type Message, mcpHeaders, productOf, type RpcRequest } from './message.ts';
import { offlineResponse } from './offline-response.ts';
import type { ToolCache } from './tool-cache.ts';
import type { ToolList, ToolSet } from './tool-sets.ts';

export interface RelayDependencies {
  forward: Forward;
  toolCache: ToolCache;
  toolSet: ToolSet;
  version: string;
  /** Writes one protocol message; adds the line end. */
  write(line: string): void;
  /** Logs for `--debug`: methods, ids and outcomes, never a key or a memory. */
  log(text: string): void;
}

/** Forwards one message to the daemon and writes the answer, its own if the daemon gives none. Never rejects. */
export type Relay = (message: Message, line: string, signal: AbortSignal) => Promise<void>;

export function createRelay({ forward, toolCache, toolSet, version, write, log }: RelayDependencies): Relay {
  let agreedVersion: string | undefined;
  let product: string | undefined;

  /** The assistant says who it is once; HTTP says so in every request. */
  function headersOf(message: Message): Record<string, string> {
    product = productOf(message) ?? product;
    const userAgent = [...(product === undefined ? [] : [product]), `svc-bridge/${version}`].join(' ');
    return { ...mcpHeaders(message, agreedVersion), 'user-agent': userAgent };
  }

  /** Remembers the protocol revision and the tool list from an answer. */
  async function remember(request: Message, { result }: Message): Promise<void> {
    if (request.method === 'initialize' && typeof result?.protocolVersion === 'string') {
      agreedVersion = result.protocolVersion;
    }
    if (request.method === 'tools/list' && Array.isArray(result?.tools) && result.nextCursor === undefined) {
      await toolCache.store(result.tools as ToolList);
    }
  }

  /** Forwards a request and writes the daemon's messages. Throws `BridgeError` if there is no answer among them. */
  async function forwardRequest(request: RpcRequest, line: string, signal: AbortSignal): Promise<void> {
    let answered = false;
    const isToolCall = request.method === 'tools/call';
    for await (const { message, text } of forward({ body: line, headers: headersOf(request), isToolCall, signal })) {
      if (message.method !== undefined) write(text);
      else if (!answered) {
        answered = true;
        // An error from the HTTP layer does not carry the request's id.
        write(message.id == null ? JSON.stringify({ ...message, id: request.id }) : text);
        await remember(request, message);
      }
    }
    if (!answered) throw new BridgeError('The svc daemon ended the connection without an answer. Call again.');
  }

  async function answerOffline(request: RpcRequest, error: unknown): Promise<void> {
    const outage =
      error instanceof BridgeError ? error : new BridgeError(`The svc bridge failed: ${(error as Error).message}`);
    const answer = offlineResponse(request, outage, { tools: await toolCache.list(), lists: toolSet.lists, version });
    if (request.method === 'initialize') await remember(request, answer);
    write(JSON.stringify(answer));
  }

  async function forwardNotification(message: Message, line: string, signal: AbortSignal): Promise<void> {
    for await (const _ of forward({ body: line, headers: headersOf(message), isToolCall: false, signal }));
  }

  return async (message, line, signal) => {
    const name = `${message.method ?? 'response'} ${message.id ?? ''}`.trim();
    try {
      await (isRequest(message) ? forwardRequest(message, line, signal) : forwardNotification(message, line, signal));
      log(`${name}: done`);
    } catch (error) {
      log(`${name}: ${signal.aborted ? 'canceled' : (error as Error).message}`);
      if (isRequest(message) && !signal.aborted) await answerOffline(message, error);
    }
  };
}
