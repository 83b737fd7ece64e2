import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Operation } from '../contract/operations.ts';
import { REFUSALS } from './broken-request.ts';
import { headerReferences } from './openapi-headers.ts';
import { PROBLEM_MEDIA_TYPE } from './problems.ts';

/** Example details of each error. */
const DETAILS: Record<ErrorCode, string> = {
  invalid_request: '/colour is not a known field.',
  unauthenticated: 'Send a valid API key as "Authorization: Bearer svc_live_…". To get one, run svc login.',
  forbidden: 'Requests of a session that change something need its csrf token in X-Svc-Csrf: see GET /v1/session.',
  not_found: 'There is no memory with this id.',
  method_not_allowed: 'This path does not support PUT, only DELETE, GET, HEAD, OPTIONS.',
  conflict: 'The first request with this Idempotency-Key is still in progress. Try again in a moment.',
  gone: 'What this Idempotency-Key created has since been erased.',
  precondition_failed: 'The memory was changed since it was read. Read it again first.',
  payload_too_large: 'The body is too large: the limit is 1 MiB, and 16 KiB on routes that need no key.',
  unsupported_media_type: 'Send the body as application/json.',
  unprocessable: 'This Idempotency-Key was used for another request.',
  rate_limited: 'The limit is 120 requests per minute.',
  quota_exceeded: 'You have used 5000 of 5000 memories today. Resets at 2026-11-23T00:00:00.000Z.',
  internal: "An internal error occurred. The daemon's log has the details under this requestId.",
  provider_failed: 'The provider failed. Try again later.',
  unavailable: 'Too many requests are waiting. Try again in a moment.',
  storage_full: 'The disk that stores the memories is full. Free some space and try again.',
};

/** Members of the problem documents of some errors besides the common ones. */
const MEMBERS: Partial<Record<ErrorCode, object>> = {
  invalid_request: { errors: [{ path: '/colour', message: 'is not a known field' }] },
  quota_exceeded: { quota: 'dailyMemories', limit: 5000, used: 5000, resetsAt: '2026-11-23T00:00:00.000Z' },
};

/** Details of requests that are refused before they are complete. Their code is `invalid_request`. */
const BROKEN = new Map(Object.values(REFUSALS).map(({ status, detail }) => [status, detail]));

const HEADERS_OF: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

interface ProblemResponse {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: { $ref: string }; examples: Record<string, { value: unknown }> }>;
}

/** Facts that decide which errors an operation can answer with. */
export interface OperationFacts {
  method: string;
  isPublic: boolean;
  hasPathParameters: boolean;
  operation: Operation;
}

/** Returns the error statuses of an operation, in ascending order. */
export function problemStatuses({ method, isPublic, hasPathParameters, operation }: OperationFacts): number[] {
  const isRead = method === 'GET';
  const codes: ErrorCode[] = [
    ...(['invalid_request', 'rate_limited', 'internal', 'unavailable'] as const),
    ...(isPublic ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(hasPathParameters ? (['not_found'] as const) : []),
    // Bodies are parsed even where none is needed.
    ...(isRead ? [] : (['payload_too_large', 'unsupported_media_type', 'storage_full'] as const)),
    ...(operation.once ? (['conflict', 'gone', 'unprocessable'] as const) : []),
    ...(honorsIfMatch(method, operation) ? (['precondition_failed'] as const) : []),
    ...(operation.errors ?? []),
  ];
  const statuses = new Set(codes.map((code): number => ERRORS[code].status));
  statuses.add(431);
  if (!isRead) statuses.add(408);
  return [...statuses].sort((one, other) => one - other);
}

export function honorsIfMatch(method: string, { etag, ifMatch }: Operation): boolean {
  return ifMatch === true || (etag === true && ['PATCH', 'PUT', 'DELETE'].includes(method));
}

/** Returns the name of the response component of an error status, such as `NotFound`. */
export function problemName(status: number): string {
  const code = codesOf(status)[0];
  if (code === undefined) return status === 408 ? 'RequestTimeout' : 'HeadersTooLarge';
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Describes an error status. `headers` are those of the operation. */
export function problemResponse(status: number, headers: readonly string[] = []): ProblemResponse {
  const codes = codesOf(status);
  const broken = BROKEN.get(status);
  const examples = broken
    ? { invalid_request: { value: exampleOf('invalid_request', status, broken) } }
    : Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, status, DETAILS[code]) }]));
  return {
    description: broken ?? codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('. '),
    headers: headerReferences([...headers, ...(HEADERS_OF[status] ?? [])]),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, examples } },
  };
}

function codesOf(status: number): ErrorCode[] {
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === status);
}

function exampleOf(code: ErrorCode, status: number, detail: string): object {
  return {
    type: `urn:svc:problem:${code}`,
    title: ERRORS[code].title,
    status,
    detail,
    code,
    requestId: 'req_01a2016d8e3577f4b5d55323fe9aeaa9',
    ...(status === ERRORS[code].status && MEMBERS[code]),
  };
}
