import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { AppError } from '../../contract/errors.ts';
import { failureText, refusalText } from './mcp-answers.ts';
import type { McpCall } from './mcp-tool.ts';

/**
 * What a resource or prompt failed with, as an error of the protocol: unlike a tool's result these have no other way to
 * say it. Nothing of an unexpected failure leaves the daemon.
 */
export function protocolError(error: unknown, what: string, { requestId, log }: McpCall): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof AppError && error.code !== 'internal') {
    if (error.status >= 500) log.error({ error, what, requestId }, 'an MCP request could not be answered');
    const code = error.code === 'invalid_request' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return new ProtocolError(code, refusalText(error), { code: error.code });
  }
  log.error({ error, what, requestId }, 'an MCP request failed');
  return new ProtocolError(ProtocolErrorCode.InternalError, failureText(requestId), { code: 'internal' });
}
