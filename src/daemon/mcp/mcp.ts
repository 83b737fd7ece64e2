import { setMaxListeners } from 'node:events';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import { fenceMark } from '../../contract/fence.ts';
import { MAX_BATCH_MESSAGES } from '../../contract/mcp-batch.ts';
import type { Random } from '../../lib/random.ts';
import { addBatchParser, answerBatch, Batch, type McpMessage } from './mcp-batch.ts';
import { createMcpClients, mcpMethodOf } from './mcp-client.ts';
import { readSpacesOf } from './mcp-readers.ts';
import type { McpServerDependencies, McpServers } from './mcp-server.ts';
import { NAMED_TOOL_SETS, type ToolSet } from './mcp-tool-set.ts';

export interface McpDependencies extends McpServerDependencies {
  random: Random;
  /** URLs whose origins may call from a browser, besides loopback ones. */
  publicOrigins: readonly string[];
  /** The challenge of a 401 for OAuth clients. Absent if OAuth is off. */
  challenge: (() => string) | undefined;
}

const PATH = '/v1/mcp';

/** The headers that the protocol reads. Credentials are not forwarded to the SDK. */
const FORWARDED = /^(accept|content-type|mcp-.+)$/;

/**
 * The MCP endpoint: stateless Streamable HTTP at `/v1/mcp`, for the protocol revisions that start with `initialize` and
 * those that do not. It is in the protected scope, so every request is authenticated and rate limited; tools
 * that change something check the scope themselves. JSON-RPC batches are rejected, as in the current protocol; the
 * stdio bridge has its own, each message of which counts like a request.
 */
export function mcpRoutes({ publicOrigins, challenge, random, ...parts }: McpDependencies): FastifyPluginAsync {
  const origins = publicOrigins.map((address) => new URL(address).origin);

  const clients = createMcpClients();

  return async (app) => {
    const rejected = (error: Error) => app.log.info({ reason: error.message }, 'MCP message rejected');
    let loading: Promise<McpServers> | undefined;
    /** Loads the SDK with the first message: many daemons never get one. */
    const servers = () => {
      loading ??= import('./mcp-server.ts').then(({ createMcpServers }) => createMcpServers(parts, rejected));
      return loading;
    };

    /** Memberships are looked up with each message, so that one that has ended gives nothing more. */
    function readersOf(request: FastifyRequest, toolSet: ToolSet, client: string) {
      const spaces = readSpacesOf(request, toolSet);
      if (spaces === undefined) return undefined;
      return async () =>
        (await parts.memberships.enterAll(request.account, spaces)).map((member) => ({ ...member, client }));
    }

    /** `message` carries the headers, and may be shared by the messages of a batch. */
    async function exchange(request: FastifyRequest, { body, requestId, note }: McpMessage, message: Request) {
      const principal = { ...request.principal, client: note.client };
      const readers = readersOf(request, toolSetOf(request), note.client);
      const { answer } = await servers();
      const structured = asksForStructure(request);
      const toolSet = toolSetOf(request);
      const showsApps = clients.showsApps(request, body);
      const mark = fenceMark(random);
      return answer(message, body, {
        principal,
        readers,
        requestId,
        mark,
        log: app.log,
        note,
        structured,
        toolSet,
        showsApps,
      });
    }

    app.addHook('onRequest', async (request) => {
      request.mcpNote = { client: clients.nameOf(request), method: request.method };
      refuseForeignOrigin(request, origins);
    });

    app.route({
      method: ['GET', 'DELETE'],
      url: PATH,
      schema: { hide: true },
      config: { refusesMethod: true, challenge },
      onRequest: refuseMethod,
      handler: refuseMethod,
    });

    addBatchParser(app);
    const config = { checksOwnBody: true, scope: 'memory:read', challenge } as const;
    app.post(PATH, { schema: { hide: true }, config }, async (request, reply) => {
      readSpacesOf(request, toolSetOf(request));
      const message = toWebRequest(request, hangUpSignal(reply));
      if (request.body instanceof Batch) {
        setMaxListeners(MAX_BATCH_MESSAGES + 1, message.signal);
        return answerBatch(request.body, {
          ...{ app, request, reply },
          exchange: (one) => exchange(request, one, message),
          clientOf: (body) => clients.nameOf(request, body),
        });
      }
      const note = { client: clients.nameOf(request), method: mcpMethodOf(request) };
      request.mcpNote = note;
      if (Array.isArray(request.body)) {
        return reply.code(400).send(rpcError(-32600, 'Batches are not supported: send one message per request'));
      }
      if (message.signal.aborted) return reply.code(499).send();
      if (hasCursor(request.body)) {
        return reply.send({ ...rpcError(-32602, 'Unknown cursor: lists are not paged here'), id: request.body.id });
      }
      const incoming = { body: request.body, requestId: request.id, note };
      return sendWebResponse(reply, await exchange(request, incoming, message));
    });
  };
}

/** `/v1/mcp?structured=true` adds `structuredContent` and output schemas, for programs rather than assistants. */
function asksForStructure({ query }: FastifyRequest): boolean {
  return (query as { structured?: string }).structured === 'true';
}

/** `/v1/mcp?tools=tidy` or `=chatgpt` offers other tools than those of every day. Throws `invalid_request`. */
function toolSetOf({ query }: FastifyRequest): ToolSet {
  const { tools } = query as { tools?: unknown };
  if (tools === undefined) return 'everyday';
  const named = NAMED_TOOL_SETS.find((name) => name === tools);
  if (named) return named;
  const rule = `must be ${NAMED_TOOL_SETS.join(' or ')}`;
  const errors = [{ path: 'tools', message: rule }];
  const message = `There are no such tools. tools ${rule}; leave it out for the tools of every day.`;
  throw new AppError('invalid_request', message, { errors });
}

/** Whether a list is asked to continue at a cursor: all lists fit on one page, so no cursor was ever returned. */
function hasCursor(body: unknown): body is { id: unknown } {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { cursor?: unknown } | null };
  return typeof method === 'string' && method.endsWith('/list') && params?.cursor !== undefined;
}

/** Rejects GET and DELETE: there are no server streams to open and no sessions to end. */
async function refuseMethod(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .code(405)
    .header('allow', 'OPTIONS, POST')
    .send(rpcError(-32000, 'Method not allowed: there are no sessions'));
}

/** Rejects browser requests from other sites. Clients that are not browsers send no Origin header. */
function refuseForeignOrigin(request: FastifyRequest, origins: readonly string[]): void {
  const { origin } = request.headers;
  if (origin === undefined || origins.includes(origin) || isLoopbackOrigin(origin)) return;
  throw new AppError(
    'forbidden',
    'Pages of this origin may not call the MCP endpoint. Call it without an Origin header.',
  );
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** Fires when the client hangs up. Fastify's own `request.signal` fires as soon as the body is read. */
function hangUpSignal(reply: FastifyReply): AbortSignal {
  if (reply.raw.destroyed) return AbortSignal.abort();
  const hangUp = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

/** Converts the request for the SDK, without the body, which Fastify has parsed already. Messages of a batch are JSON, too. */
function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (FORWARDED.test(name) && value !== undefined) headers.set(name, String(value));
  }
  if (headers.has('content-type')) headers.set('content-type', 'application/json');
  return new Request(`http://localhost${PATH}`, { method: 'POST', headers, signal });
}

/** Sends the response through Fastify, so that its hooks and headers apply. Event streams are streamed. */
async function sendWebResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream');
  return reply.send(streamed ? response.body : await response.text());
}

function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null };
}
