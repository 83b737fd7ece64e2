import type { FastifyRequest } from 'fastify';
import type { AppError, ErrorCode } from '../contract/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is one of Anthropic's API: its key may be sent as `x-api-key`, and its errors are read by Anthropic's SDK. */
    wire?: 'anthropic';
  }
}

/** The type that Anthropic's SDK knows an error by, where it is not that of its status. */
const TYPES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  gone: 'not_found_error',
  conflict: 'conflict_error',
  payload_too_large: 'request_too_large',
  rate_limited: 'rate_limit_error',
  quota_exceeded: 'rate_limit_error',
  unavailable: 'overloaded_error',
};

/** Returns the key in the header that Anthropic's SDK sends it in, on the routes that it calls. */
export function apiKeyHeaderOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  const key = headers['x-api-key'];
  return routeOptions.config.wire === 'anthropic' && typeof key === 'string' ? key : undefined;
}

/** Returns the members by which Anthropic's SDK reads an error, of a problem document that is one already. */
export function anthropicMembers({ code, status, message, options }: AppError, requestId: string) {
  const type = TYPES[code] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const more = options.extra?.error as object | undefined;
  return { type: 'error', error: { type, message, ...more }, request_id: requestId };
}
