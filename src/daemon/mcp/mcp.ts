import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import { fenceMark } from '../../contract/fence.ts';
import {
  BATCH_MEDIA_TYPE,
  type BatchAnswerHead,
  MAX_BATCH_BYTES,
  MAX_BATCH_MESSAGES,
} from '../../contract/mcp-batch.ts';
import { clientOfInfo, clientOfUserAgent } from '../../features/activity/client-name.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Random } from '../../lib/random.ts';
import { type McpNote, reportAnswer } from '../answered.ts';
import { parseInSlices, sliceOwnerOf } from '../json-body.ts';
import { toAppError, toProblem } from '../problems.ts';
import { readSpacesOf } from './mcp-readers.ts';
import type { McpServerDependencies, McpServers } from './mcp-server.ts';
import { NAMED_TOOL_SETS, type ToolSet } from './mcp-tool-set.ts';

/** The messages of a batch as JSON texts. */
class Batch {
  constructor(readonly messages: readonly string[]) {}
}

/** One message of a batch, with its request id and its note. */
interface McpMessage {
  body: unknown;
  requestId: string;
  note: McpNote;
}

/** The request of a batch, and how to answer its messages. */
interface BatchParts {
  app: FastifyInstance;
  request: FastifyRequest;
  reply: FastifyReply;
  exchange(message: McpMessage): Promise<Response>;
  /** Names the client that sent a message. */
  clientOf(body: unknown): string;
}

type Answer = Omit<BatchAnswerHead, 'index'> & { text: string };

/** Accepts batches in the routes of a scope. Throws `invalid_request` and `payload_too_large`. */
function addBatchParser(app: FastifyInstance): void {
  app.addContentTypeParser(BATCH_MEDIA_TYPE, { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => {
    if (body.length > MAX_BATCH_BYTES) {
      throw new AppError('payload_too_large', `A batch must be at most ${MAX_BATCH_BYTES} bytes, got ${body.length}.`);
    }
    if (!isUtf8(body)) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
    const messages = body.toString('utf8').split('\n');
    if (messages.length > MAX_BATCH_MESSAGES) {
      throw new AppError('invalid_request', `A batch must have at most ${MAX_BATCH_MESSAGES} messages.`);
    }
    return new Batch(messages);
  });
}

/** Answers each message like a separate request, as soon as its answer is ready. */
function answerBatch({ messages }: Batch, parts: BatchParts): FastifyReply {
  const { app, request, reply } = parts;
  const answers = new PassThrough();
  let ready = '';
  let pending = messages.length;
  // The answers of one turn of the event loop are written at once.
  const flush = () => {
    answers.write(ready);
    ready = '';
    if (pending === 0) answers.end();
  };
  request.reportsMessages = true;
  const client = parts.clientOf(undefined);
  messages.forEach(async (message, index) => {
    const requestId = index === 0 ? request.id : app.newRequestId();
    const mcpNote = { client, method: 'tools/call' };
    const { text, ...head } = await answerMessage(message, index === 0, { requestId, note: mcpNote }, parts);
    reportAnswer(app, { request, requestId, status: head.status, milliseconds: reply.elapsedTime, mcpNote });
    if (ready === '') setImmediate(flush);
    pending -= 1;
    ready += `${JSON.stringify({ index, ...head })}\n${text}\n`;
  });
  return reply.type(BATCH_MEDIA_TYPE).send(answers);
}

async function answerMessage(
  message: string,
  isAdmitted: boolean,
  { requestId, note }: Omit<McpMessage, 'body'>,
  { app, request, exchange, clientOf }: BatchParts,
): Promise<Answer> {
  try {
    if (!isAdmitted) await app.admitMessage(request);
    const body = await parseInSlices(Buffer.from(message), sliceOwnerOf(request));
    requireToolCall(body);
    note.client = clientOf(body);
    const response = await exchange({ body, requestId, note });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const problem = toAppError(error);
    if (problem.status >= 500) app.log.error({ error, requestId }, 'MCP message failed');
    const { retryAfterSeconds } = problem.options;
    return { status: problem.status, retryAfterSeconds, text: JSON.stringify(toProblem(problem, requestId)) };
  }
}

/** Other messages may be answered by an event stream, or say something about the session. */
function requireToolCall(body: unknown): void {
  const { method } = (body ?? {}) as { method?: unknown };
  if (method !== 'tools/call') throw new AppError('invalid_request', 'A batch must contain only tool calls.');
}

/** Some clients send `null` for the arguments of a tool or prompt that needs none, which the SDK refuses. */
function withoutNullArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as { params?: { arguments?: unknown } | null };
  return params?.arguments === null ? { ...(message as object), params: { ...params, arguments: {} } } : message;
}

/** Finds the names of the clients that send MCP messages. */
interface McpClients {
  /**
   * Names the client of a message, by default the body of the request, by the `clientInfo` in it or in its `initialize`,
   * otherwise by its User-Agent.
   */
  nameOf(request: FastifyRequest, message?: unknown): string;
  /** Whether the client of a message said that it shows screens of tools (MCP Apps), there or in its `initialize`. */
  showsApps(request: FastifyRequest, message?: unknown): boolean;
}

const MAX_REMEMBERED = 5000;
/** Names the client in protocol revisions without `initialize`. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const APPS = 'io.modelcontextprotocol/ui';
const APP_MIME_TYPE = 'text/html;profile=mcp-app';

interface Message {
  method?: unknown;
  params?: { clientInfo?: unknown; capabilities?: unknown; _meta?: Record<string, unknown> | null } | null;
}

/**
 * There are no sessions: only `initialize` carries a `clientInfo`, which counts for further messages with the
 * same connection and User-Agent in the same tenant.
 */
function createMcpClients(): McpClients {
  const initialized = createBoundedMap<string, string>(MAX_REMEMBERED);
  const showing = createBoundedMap<string, boolean>(MAX_REMEMBERED);
  const keyOf = ({ principal: { tenantId, credential }, headers }: FastifyRequest) => {
    const connection = credential.kind === 'apiKey' ? credential.hash : credential.id;
    return `${tenantId} ${connection} ${headers['user-agent']?.slice(0, 200)}`;
  };
  return {
    showsApps(request, message = request.body) {
      const { method, params } = (message ?? {}) as Message;
      const own = params?.capabilities ?? params?._meta?.[CLIENT_CAPABILITIES];
      if (method === 'initialize') showing.set(keyOf(request), declaresApps(own));
      return own === undefined ? (showing.get(keyOf(request)) ?? false) : declaresApps(own);
    },
    nameOf(request, message = request.body) {
      const { method, params } = (message ?? {}) as Message;
      const userAgent = request.headers['user-agent'];
      const key = keyOf(request);
      const own = clientOfInfo(params?.clientInfo ?? params?._meta?.[CLIENT_INFO]);
      if (own !== undefined && method === 'initialize') initialized.set(key, own);
      return own ?? initialized.get(key) ?? clientOfUserAgent(userAgent);
    },
  };
}

function declaresApps(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as { extensions?: Record<string, { mimeTypes?: unknown } | null> | null };
  const mimeTypes = extensions?.[APPS]?.mimeTypes;
  return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE);
}

/** The methods of messages that are named in the activity. */
const METHODS = new Set([
  ...['initialize', 'ping', 'server/discover', 'notifications/initialized', 'notifications/cancelled'],
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/read', 'resources/templates/list'],
]);

/** The method of an MCP message; that of its HTTP request if the message has no known one. */
function mcpMethodOf({ body, method: httpMethod }: FastifyRequest): string {
  const { method } = (body ?? {}) as Message;
  return typeof method === 'string' && METHODS.has(method) ? method : httpMethod;
}

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
      return answer(message, withoutNullArguments(body), {
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

/** `/v1/mcp?tools=tidy`, `=extract` or `=chatgpt` offers other tools than those of every day. Throws `invalid_request`. */
function toolSetOf({ query }: FastifyRequest): ToolSet {
  const { tools } = query as { tools?: unknown };
  if (tools === undefined) return 'everyday';
  const named = NAMED_TOOL_SETS.find((name) => name === tools);
  if (named) return named;
  const rule = `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(NAMED_TOOL_SETS)}`;
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
