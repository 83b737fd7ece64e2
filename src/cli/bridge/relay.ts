import { BridgeError } from './bridge-error.ts';
import type { Forward } from './forward.ts';
import { isRequest, type Message, mcpHeaders, parseMessage, type RpcRequest } from './message.ts';
import { offlineResponse } from './offline-response.ts';
import type { ToolCache, ToolList } from './tool-cache.ts';

export interface RelayDependencies {
  forward: Forward;
  knownTools: ToolCache;
  version: string;
  /** Takes one line of protocol, without its end. */
  write(line: string): void;
  /** Takes what `--debug` shows: methods, ids and outcomes, never a key or a memory. */
  log(text: string): void;
}

/** Sees one message through: to the daemon and back, or answered in its place. Never rejects. */
export type Relay = (message: Message, line: string, signal: AbortSignal) => Promise<void>;

export function createRelay({ forward, knownTools, version, write, log }: RelayDependencies): Relay {
  let agreedVersion: string | undefined;

  /** What the bridge itself has to know of an answer that passes. */
  async function note(request: Message, { result }: Message): Promise<void> {
    if (request.method === 'initialize' && typeof result?.protocolVersion === 'string') {
      agreedVersion = result.protocolVersion;
    }
    if (request.method === 'tools/list' && Array.isArray(result?.tools) && result.nextCursor === undefined) {
      await knownTools.remember(result.tools as ToolList);
    }
  }

  /** Passes on what the daemon says about a request. Throws `BridgeError` where it ends without an answer. */
  async function passOn(request: RpcRequest, line: string, signal: AbortSignal): Promise<void> {
    let answered = false;
    for await (const text of forward({ body: line, headers: mcpHeaders(request, agreedVersion), signal })) {
      const message = parseMessage(text) ?? {};
      if (message.method !== undefined) write(text);
      else if (!answered) {
        answered = true;
        // A refusal by the transport does not know which request it refuses.
        write(message.id == null ? JSON.stringify({ ...message, id: request.id }) : text);
        await note(request, message);
      }
    }
    if (!answered) throw new BridgeError('The svc daemon ended the connection without an answer. Call again.');
  }

  async function answerInstead(request: RpcRequest, error: unknown): Promise<void> {
    const outage =
      error instanceof BridgeError ? error : new BridgeError(`The svc bridge failed: ${(error as Error).message}`);
    const answer = offlineResponse(request, outage, { tools: await knownTools.list(), version });
    if (request.method === 'initialize') await note(request, answer);
    write(JSON.stringify(answer));
  }

  async function tell(message: Message, line: string, signal: AbortSignal): Promise<void> {
    for await (const _ of forward({ body: line, headers: mcpHeaders(message, agreedVersion), signal }));
  }

  return async (message, line, signal) => {
    const name = `${message.method ?? 'response'} ${message.id ?? ''}`.trim();
    try {
      await (isRequest(message) ? passOn(message, line, signal) : tell(message, line, signal));
      log(`${name}: done`);
    } catch (error) {
      log(`${name}: ${signal.aborted ? 'given up' : (error as Error).message}`);
      if (isRequest(message) && !signal.aborted) await answerInstead(message, error);
    }
  };
}
