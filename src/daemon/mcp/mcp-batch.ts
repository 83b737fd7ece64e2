import { isUtf8 } from 'node:buffer';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import {
  BATCH_MEDIA_TYPE,
  type BatchAnswerHead,
  MAX_BATCH_BYTES,
  MAX_BATCH_MESSAGES,
} from '../../contract/mcp-batch.ts';
import { type McpNote, reportAnswer } from '../answered.ts';
import { parseInSlices, sliceOwnerOf } from '../json-body.ts';
import { toAppError, toProblem } from '../problems.ts';

/** The messages of a batch as JSON texts. */
export class Batch {
  constructor(readonly messages: readonly string[]) {}
}

/** One message of a batch, with its request id and its note. */
export interface McpMessage {
  body: unknown;
  requestId: string;
  note: McpNote;
}

/** The request of a batch, and how to answer its messages. */
export interface BatchParts {
  app: FastifyInstance;
  request: FastifyRequest;
  reply: FastifyReply;
  exchange(message: McpMessage): Promise<Response>;
  /** Names the client that sent a message. */
  clientOf(body: unknown): string;
}

type Answer = Omit<BatchAnswerHead, 'index'> & { text: string };

/** Accepts batches in the routes of a scope. Throws `invalid_request` and `payload_too_large`. */
export function addBatchParser(app: FastifyInstance): void {
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
export function answerBatch({ messages }: Batch, parts: BatchParts): FastifyReply {
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
