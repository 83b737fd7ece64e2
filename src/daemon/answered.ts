import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AnswerIds } from '../features/activity/activity.ts';

/** The tool call and ids of an MCP message. */
export interface McpNote extends Partial<AnswerIds> {
  client: string;
  method: string;
  /** The name of the tool, if it called one. */
  tool?: string;
  /** The status of the tool's error over REST. */
  status?: number;
}

/** An answered request, or an answered message of an MCP batch, which counts like a request. */
export interface Answered {
  /** The HTTP request. */
  request: FastifyRequest;
  requestId: string;
  status: number;
  milliseconds: number;
  mcpNote: McpNote | null;
}

type Listener = (answered: Answered) => void;

declare module 'fastify' {
  interface FastifyInstance {
    answerListeners: Listener[];
  }
  interface FastifyRequest {
    /** Set for MCP messages. */
    mcpNote: McpNote | null;
    /** Whether each message is reported, instead of the request. */
    reportsMessages: boolean;
  }
}

/** Reports every request of a server when it is answered. */
export function reportAnswers(app: FastifyInstance): void {
  app.decorate('answerListeners', []);
  app.decorateRequest('mcpNote', null);
  app.decorateRequest('reportsMessages', false);
  app.addHook('onResponse', (request, reply, done) => {
    if (!request.reportsMessages) {
      const { id: requestId, mcpNote } = request;
      reportAnswer(app, { request, requestId, status: reply.statusCode, milliseconds: reply.elapsedTime, mcpNote });
    }
    done();
  });
}

/** Calls `listener` for each answer of a server. */
export function onAnswer(app: FastifyInstance, listener: Listener): void {
  app.answerListeners.push(listener);
}

export function reportAnswer(app: FastifyInstance, answered: Answered): void {
  for (const listener of app.answerListeners) listener(answered);
}
