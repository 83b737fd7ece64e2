import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { AppError } from '../../contract/errors.ts';
import { failureText, refusalText } from './mcp-answers.ts';
import type { McpCall } from './mcp-tool.ts';

/**
 * Converts the error of a resource or prompt to a protocol error: unlike tools, these have no error results. Details of
 * an unexpected error are logged, not sent.
 */
export function protocolError(error: unknown, what: string, { requestId, log }: McpCall): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof AppError && error.code !== 'internal') {
    if (error.status >= 500) log.error({ error, what, requestId }, 'MCP request could not be served');
    const code = error.code === 'invalid_request' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return new ProtocolError(code, refusalText(error), { code: error.code });
  }
  log.error({ error, what, requestId }, 'MCP request failed');
  return new ProtocolError(ProtocolErrorCode.InternalError, failureText(requestId), { code: 'internal' });
}
