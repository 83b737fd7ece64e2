import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, type Transport as ClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { runBridge } from '../../src/cli/bridge/bridge.ts';
import { createHttpTransport, type Transport } from '../../src/cli/bridge/http-transport.ts';
import type { Message } from '../../src/cli/bridge/message.ts';
import { createToolCache } from '../../src/cli/bridge/tool-cache.ts';
import { TOOL_SETS } from '../../src/cli/bridge/tool-sets.ts';
import type { Session } from '../../src/cli/command-context.ts';

/** A JSON-RPC answer, loosely typed for assertions. */
export interface Reply extends Message {
  result?: Record<string, unknown> & {
    content?: { text: string }[];
    isError?: boolean;
    tools?: { name: string }[];
  };
}

export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';
}

export interface BridgeOptions {
  session(): Promise<Session>;
  transport?: Transport;
  folder?: string;
  tools?: keyof typeof TOOL_SETS;
}

/** Starts the bridge on in-memory streams: send lines, wait for the answers. */
export async function startBridge(options: BridgeOptions) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bridge-')));
  const toolSet = TOOL_SETS[options.tools ?? 'everyday'];
  const input = new PassThrough();
  const stop = new AbortController();
  const lines: string[] = [];
  const logged: string[] = [];
  const waiting = new Map<unknown, (reply: Reply) => void>();
  let listener = (_reply: Reply) => {};
  const cache = createToolCache(folder, toolSet);
  let kept = Promise.resolve();
  const run = runBridge({
    input,
    write(line) {
      lines.push(line);
      const reply = JSON.parse(line) as Reply;
      waiting.get(reply.id)?.(reply);
      listener(reply);
    },
    session: options.session,
    transport: options.transport ?? createHttpTransport(toolSet.path),
    toolCache: { ...cache, store: (tools) => (kept = cache.store(tools)) },
    toolSet,
    version: '1.2.3',
    log: (text) => logged.push(text),
    stop: stop.signal,
  });
  // A list is kept after it was answered, and a bridge that is stopped does not wait for a slow disk.
  const ended = run.then(() => kept);
  let lastId = 0;
  const sendLine = (line: string) => input.write(`${line}\n`);
  return {
    folder,
    lines,
    logged,
    ended,
    stop: () => stop.abort(),
    sendLine,
    /** Passes all further messages of the bridge on. */
    listen(next: (reply: Reply) => void) {
      listener = next;
    },
    notify: (method: string, params: object = {}) => sendLine(JSON.stringify({ jsonrpc: '2.0', method, params })),
    ask(method: string, params: object = {}): Promise<Reply> {
      lastId += 1;
      const id = lastId;
      const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      sendLine(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return reply;
    },
    async close() {
      input.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Connects the official SDK's client to a bridge. */
export async function connectClient(
  bridge: Awaited<ReturnType<typeof startBridge>>,
  era: 'legacy' | 'modern' = 'legacy',
): Promise<Client> {
  const transport: ClientTransport = {
    start: async () => bridge.listen((message) => transport.onmessage?.(message as JSONRPCMessage)),
    send: async (message) => void bridge.sendLine(JSON.stringify(message)),
    close: async () => transport.onclose?.(),
  };
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

/** Parameters of a request in the stateless era. */
export const stateless = (params: object = {}) => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  },
});

export const HANDSHAKE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
