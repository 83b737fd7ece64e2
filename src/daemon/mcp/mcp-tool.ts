import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import type { TObject } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import { idsOfAnswer } from '../../features/activity/activity.ts';
import type { Principal } from '../../features/keys/keys.ts';
import { requireScope } from '../../features/keys/keys.ts';
import type { McpNote } from '../answered.ts';
import { type Advice, errorResult, failureText, refusalText } from './mcp-answers.ts';
import { argumentReader } from './mcp-arguments.ts';
import { type ArgumentNotes, declaredFieldsOf, listedInput, listedOutput } from './mcp-schemas.ts';
import type { ToolSet } from './mcp-tool-set.ts';

/** The HTTP request that an MCP message arrived in. */
export interface McpCall {
  principal: Principal;
  /** Enters the spaces that the reading tools read together; absent where they read the one in which the caller acts. */
  readers?: (() => Promise<readonly Principal[]>) | undefined;
  requestId: string;
  /** The mark of fences in the answer. */
  mark: string;
  log: FastifyBaseLogger;
  /** Records the tool that was called and the ids in its answer. */
  note: McpNote;
  /**
   * Whether the client asked for `structuredContent`. Several assistants hide the text from the model where there is
   * any, and the JSON costs two to three times the tokens.
   */
  structured: boolean;
  toolSet: ToolSet;
  /** Whether the client shows screens of tools (MCP Apps). */
  showsApps: boolean;
}

/** Registers a tool, resource or prompt on the server of one request. */
export interface Registration {
  (server: McpServer, call: McpCall): void;
  /** The name of the tool, if it is one. */
  tool?: string;
  /** The scope that the tool needs. */
  scope?: Scope;
  /** Whether it is offered only to clients that show screens. */
  forApps?: boolean;
}

interface Tool<Input, Output extends object> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  /** Listed with its schema from the start by assistants that otherwise load tools on demand. */
  alwaysLoad?: boolean;
  input: TObject;
  /** What is listed of `input`, if that leaves the check of a list's items to `run`. */
  listed?: TObject;
  arguments: ArgumentNotes;
  output: TObject;
  run(principal: Principal, input: Input, call: McpCall): Promise<Output>;
  text(output: Output, mark: string): string;
  /** Whether programs parse the text: nothing is added to it. */
  isParsed?: boolean;
  /** The scope that the tool needs; by default that of reading or of changing memories. */
  scope?: Scope;
  /** Its screen (MCP Apps), and whether the model, the screen or both may call the tool: the client enforces that. */
  ui?: { resourceUri: string; visibility: readonly ('model' | 'app')[] };
  /** What the screen gets and the model does not. */
  meta?(output: Output): Record<string, unknown>;
  /** What to do about an error, by its code, if the tools of every day are no help. */
  advice?: Advice;
}

/** Tool annotations by kind of tool. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Repeating the call creates nothing new, and replaced memories are retained. */
export const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Repeating the call stores the same again. */
export const APPENDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const DELETES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** Wraps a feature's method as a tool. Schemas are compiled here, once, rather than for the server of each request. */
export function tool<Input, Output extends object>(definition: Tool<Input, Output>): Registration {
  const { name, output, run, text, meta, ui, isParsed = false, advice } = definition;
  const config = toolConfig(definition);
  const outputSchema = listedOutput(output);
  const declared = declaredFieldsOf(output);
  const read = argumentReader<Input>(definition.input);
  const scope = definition.scope ?? (definition.annotations.readOnlyHint ? 'memory:read' : 'memory');
  const register: Registration = (server, call) => {
    const { principal, requestId, mark, log, note, structured } = call;
    const registered = structured ? { ...config, outputSchema } : config;
    server.registerTool(name, registered, async (args, { mcpReq }) => {
      note.tool = name;
      try {
        mcpReq.signal.throwIfAborted();
        requireScope(principal, scope);
        const { input, notes } = read(args as Record<string, unknown>);
        const answer = await run(principal, input, call);
        Object.assign(note, idsOfAnswer(answer));
        return {
          content: [{ type: 'text', text: withNotes(text(answer, mark), isParsed ? [] : notes) }],
          ...(structured && { structuredContent: declared(answer) }),
          ...(meta && { _meta: meta(answer) }),
        };
      } catch (error) {
        note.status = error instanceof AppError ? error.status : 500;
        if (error instanceof AppError && error.code !== 'internal') {
          if (error.status >= 500) log.error({ error, tool: name, requestId }, 'MCP tool could not be served');
          return errorResult(refusalText(error, advice));
        }
        if (!mcpReq.signal.aborted) log.error({ error, tool: name, requestId }, 'MCP tool failed');
        return errorResult(failureText(requestId));
      }
    });
  };
  return Object.assign(register, { tool: name, scope, forApps: ui !== undefined } as const);
}

/** Notes on arguments that are shown; further ones repeat the same. */
const MAX_NOTES = 8;

function withNotes(text: string, notes: readonly string[]): string {
  const more = notes.length > MAX_NOTES ? [`${notes.length - MAX_NOTES} more arguments were read likewise.`] : [];
  return [text, ...notes.slice(0, MAX_NOTES), ...more].join('\n');
}

function toolConfig<Input, Output extends object>(definition: Tool<Input, Output>) {
  const { title, description, annotations, alwaysLoad, ui } = definition;
  const inputSchema: StandardSchemaWithJSON = listedInput(definition.listed ?? definition.input, definition.arguments);
  // Claude Code defers the tools of a server with many of them; this is its documented exception.
  const _meta = { ...(alwaysLoad && { 'anthropic/alwaysLoad': true }), ...(ui && { ui }) };
  return { title, description, annotations, inputSchema, ...(Object.keys(_meta).length > 0 && { _meta }) };
}
