import type { JsonLimits } from '../../contract/json-scan.ts';
import { excessIn, parseJson } from '../parse-json.ts';
import { clampWait, readDuration, retryAfterOf } from '../retry-after.ts';
import { ProviderFault, type ProviderFaultReason } from './provider-fault.ts';

/** A response with an error status. */
export interface ErrorResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** The model or provider does not support JSON schemas, or not this one. */
export class SchemaRejected extends ProviderFault {}

/** Some servers repeat the request in an error. A body that exceeds this counts as text. */
const ERROR_JSON: JsonLimits = { depth: 32, objectMembers: 1000, members: 5000, values: 10_000 };

/** Exhausted credit does not come back soon without a payment. */
const NO_CREDIT_RETRY_MS = 3_600_000;

const NO_CREDIT =
  /\b(insufficient_quota|billing_hard_limit_reached|billing_not_active|billing_error|insufficient_(balance|credits|funds))\b|\b(credit balance is too low|insufficient (balance|credits|funds)|key limit exceeded)/i;
const NO_KEY =
  /\bapi_key_invalid\b|\binvalid_api_key\b|^(incorrect api key|api key (not valid|expired)|invalid api (key|token)|your api key was reported)/im;
const NO_SCOPE = /\b(missing scopes|insufficient permissions|failed_precondition)/i;
const FLAGGED = /\b(flagged|moderation|content_filter|content_policy_violation)\b/i;
const SCHEMA =
  /response_format|json_schema|json_object|output_(format|config)|structured[ _-]?output|response_?(json_?)?schema|response_?mime_?type|grammar/i;

/**
 * Classifies an error response. Only the provider's error fields are matched, because bodies also echo the request.
 * Quirks: OpenAI uses 429 for exhausted credit and 401 or 403 for a missing scope; Anthropic uses 400 for exhausted
 * credit; Google uses 400 for an invalid key and for an unsupported country; OpenRouter and others use 402 for
 * exhausted credit and 403 for moderated input.
 */
export function errorResponseFault(response: ErrorResponse, nowMs: number): ProviderFault {
  const { status, headers, body } = response;
  const error = errorTextOf(body);
  if (status === 402 || (isOneOf(status, 400, 403, 429) && NO_CREDIT.test(error.text))) {
    return new ProviderFault('rate_limited', MESSAGES.noCredit, { retryAfterMs: NO_CREDIT_RETRY_MS });
  }
  const reason = reasonOf(status, error.text);
  const message = messageOf(reason, status);
  const retryAfterMs = retryAfterOf(headers, nowMs) ?? error.retryAfterMs;
  if (reason === 'input' && SCHEMA.test(body)) return new SchemaRejected(reason, message);
  return new ProviderFault(reason, message, {
    ...(isOneOf(reason, 'rate_limited', 'failed') && { retryAfterMs }),
    maybeInput: reason === 'input' || status === 500,
  });
}

function isOneOf<T>(value: T, ...values: T[]): boolean {
  return values.includes(value);
}

function reasonOf(status: number, error: string): ProviderFaultReason {
  if (status === 401 && NO_SCOPE.test(error)) return 'out_of_scope';
  if (status === 401 || status === 498 || (isOneOf(status, 400, 403) && NO_KEY.test(error))) return 'refused';
  if (status === 403 && FLAGGED.test(error)) return 'input';
  if (status === 403 || (status === 400 && NO_SCOPE.test(error))) return 'out_of_scope';
  if (status === 408) return 'slow';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'failed' : 'input';
}

const MESSAGES = {
  noCredit:
    'The credit or quota of the account at the provider is exhausted. Add credit or raise the quota there; svc will retry later.',
  refused: 'The provider rejected this key: it is wrong, expired or revoked. Give svc a valid key.',
  out_of_scope:
    'The provider accepts this key but does not permit this use of it. Grant it access there (project, scopes, country), or give svc another key.',
  rate_limited: 'The provider is rate limiting svc. Try again later, or raise the limits of the account there.',
  slow: 'The provider timed out. Try again later.',
};

function messageOf(reason: ProviderFaultReason, status: number): string {
  if (reason === 'refused' || reason === 'out_of_scope' || reason === 'rate_limited' || reason === 'slow') {
    return MESSAGES[reason];
  }
  if (reason === 'failed') return `The provider failed (status ${status}). Try again later.`;
  if (status === 404)
    return 'The provider has no such model or address (status 404). Check the model and the base URL.';
  return `The provider rejected this input or this model (status ${status}). Choose another model or a shorter input.`;
}

interface ErrorText {
  text: string;
  retryAfterMs: number | undefined;
}

/** Extracts codes and the beginning of the messages from an error body, in every provider's layout. */
function errorTextOf(body: string): ErrorText {
  const root = recordOf(excessIn(body, ERROR_JSON) === undefined ? parseJson(body) : undefined);
  const error = recordOf(root.error);
  const details = (Array.isArray(error.details) ? error.details : []).map(recordOf);
  const names = [error.code, error.type, error.status, root.code, root.type, ...details.map(({ reason }) => reason)];
  const messages = [error.message, root.message, root.detail, root.error, ...flagsOf(error)];
  const text = [...names, ...messages]
    .filter((part) => typeof part === 'string')
    .map((part) => part.slice(0, 200))
    .join('\n');
  const delay = details.map(({ retryDelay }) => retryDelay).find((value) => typeof value === 'string');
  const delayMs = delay === undefined ? undefined : readDuration(delay);
  return { text, retryAfterMs: delayMs === undefined ? undefined : clampWait(delayMs) };
}

/** OpenRouter reports moderation beside the error. */
function flagsOf(error: Record<string, unknown>): string[] {
  return Array.isArray(recordOf(error.metadata).reasons) ? ['flagged'] : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  // Google wraps the error of a streaming request in a list.
  const inner = Array.isArray(value) ? value[0] : value;
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
}
