import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import type { TObject } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import type { Principal } from '../../features/keys/keys.ts';
import { errorResult, failureText, refusalText } from './mcp-answers.ts';
import { declaredFieldsOf, toolOutput } from './mcp-schemas.ts';

/** The request that something is asked in. */
export interface McpCall {
  principal: Principal;
  requestId: string;
  log: FastifyBaseLogger;
}

/** Puts one tool, resource or prompt on a server that is made for one request. */
export type Registration = (server: McpServer, call: McpCall) => void;

interface Tool<Input, Output extends object> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: StandardSchemaWithJSON<Input, Input>;
  output: TObject;
  run(principal: Principal, input: Input): Promise<Output>;
  text(output: Output): string;
}

/** Hints to assistants, which are true. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** The same again makes nothing new, and what is replaced is kept. */
export const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** The same again is kept again. */
export const APPENDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const DELETES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** Wraps a room's method as a tool; schemas are compiled here, once, and not where each request makes its server. */
export function tool<Input, Output extends object>(definition: Tool<Input, Output>): Registration {
  const { name, title, description, annotations, input, output, run, text } = definition;
  const config = { title, description, annotations, inputSchema: input, outputSchema: toolOutput(output) };
  const declared = declaredFieldsOf(output);
  return (server, { principal, requestId, log }) => {
    server.registerTool(name, config, async (args, { mcpReq }) => {
      try {
        mcpReq.signal.throwIfAborted();
        const answer = await run(principal, args as Input);
        return {
          content: [{ type: 'text', text: text(answer) }],
          structuredContent: declared(answer),
        };
      } catch (error) {
        if (error instanceof AppError && error.code !== 'internal') {
          if (error.status >= 500) log.error({ error, tool: name, requestId }, 'an MCP tool could not do its work');
          return errorResult(refusalText(error));
        }
        if (!mcpReq.signal.aborted) log.error({ error, tool: name, requestId }, 'an MCP tool failed');
        return errorResult(failureText(requestId));
      }
    });
  };
}
