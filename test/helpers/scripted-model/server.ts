import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatApi } from './chat-api.ts';
import { geminiApi } from './gemini-api.ts';
import { messagesApi } from './messages-api.ts';
import type { ModelAnswer, ModelApi, ModelBody, OfferedTool } from './model-api.ts';
import { responsesApi } from './responses-api.ts';

const APIS: readonly ModelApi[] = [messagesApi, responsesApi, chatApi, geminiApi];

/** A line of the script: a text, or a call of the offered tool whose name ends with `tool`. */
export type ScriptLine = { text: string } | { tool: string; input: object };

/** A request as the model reads it. */
export interface ModelRequest {
  /** On the clock of `performance.now()`. */
  arrivedMs: number;
  /** None where an assistant asks for a title or a classification on the side. */
  tools: OfferedTool[];
  /** The offered tools with their descriptions and schemas, as JSON. */
  toolText: string;
  /** Everything else: each string of the request on its own line. */
  text: string;
}

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** A model on loopback that speaks the APIs of Anthropic, OpenAI and Google, answers by script and records what it was sent. */
export async function startScriptedModel() {
  const requests: ModelRequest[] = [];
  const script: ScriptLine[] = [];
  const threads = new Map<string, OfferedTool[]>();

  function next(tools: readonly OfferedTool[]): ModelAnswer {
    const line = script.shift() ?? { text: 'Understood.' };
    if ('text' in line) return line;
    const tool = tools.find(({ name }) => name.endsWith(line.tool));
    if (!tool) throw new Error(`${line.tool} is not offered`);
    return { tool, input: line.input };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname } = new URL(request.url!, 'http://localhost');
    const api = APIS.find(({ path }) => path === pathname);
    if (request.method !== 'POST' || !api) return void response.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ModelBody;
    const { thread } = body;
    const isContinued = thread?.type === 'continue';
    const tools = isContinued ? (threads.get(thread.previous_message_id) ?? []) : api.tools(body);
    const { tools: offered = [], ...rest } = body;
    requests.push({ arrivedMs, tools, toolText: JSON.stringify(offered), text: stringsOf(rest).join('\n') });
    const id = `${requests.length}`;
    if (thread) threads.set(`msg_${id}`, tools);
    const answer = tools.length > 0 ? next(tools) : { text: 'Untitled' };
    if (body.stream !== true && api.whole) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(api.whole(body, answer, id)));
    }
    const frames = api.frames(body, answer, id);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) response.write(frame);
    response.end();
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: error.message } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every request, in order. */
    requests,
    /** Sets the answers to the next requests that offer tools; without any, the model says `Understood.` */
    answers: (...lines: ScriptLine[]) => void script.splice(0, script.length, ...lines),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lists every string in a value, at any depth. */
function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
