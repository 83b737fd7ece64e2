import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import type { TObject } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import type { Principal } from '../../features/keys/keys.ts';
import { errorResult, failureText, refusalText } from './mcp-answers.ts';
import { declaredFieldsOf, toolOutput } from './mcp-schemas.ts';

/** The HTTP request that an MCP message arrived in. */
export interface McpCall {
  principal: Principal;
  requestId: string;
  log: FastifyBaseLogger;
}

/** Registers a tool, resource or prompt on the server of one request. */
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

/** Tool annotations by kind of tool. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Repeating the call creates nothing new, and replaced memories are retained. */
export const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Repeating the call stores the same again. */
export const APPENDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const DELETES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** Wraps a feature's method as a tool. Schemas are compiled here, once, rather than for the server of each request. */
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
          if (error.status >= 500) log.error({ error, tool: name, requestId }, 'MCP tool could not be served');
          return errorResult(refusalText(error));
        }
        if (!mcpReq.signal.aborted) log.error({ error, tool: name, requestId }, 'MCP tool failed');
        return errorResult(failureText(requestId));
      }
    });
  };
}
