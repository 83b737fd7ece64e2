import { OPERATIONS } from '../contract/all-operations.ts';
import { COMPONENTS } from '../contract/components.ts';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { type Operation, PARAMETERS, TAGS } from '../contract/operations.ts';
import type { Scope } from '../contract/scopes.ts';
import { scopeOf } from '../features/keys/keys.ts';
import { HEADER_PARAMETERS, HEADERS, headerReferences, parameterReference } from './openapi-headers.ts';
import { createSchemaReferences, type JsonSchema } from './openapi-schemas.ts';
import { PROBLEM_MEDIA_TYPE } from './problems.ts';

/** Example details of each error. */
const DETAILS: Record<ErrorCode, string> = {
  invalid_request: '/colour is not a known field.',
  unauthenticated: 'Send a valid API key as "Authorization: Bearer svc_live_…". To get one, run svc login.',
  forbidden: 'Requests of a session that change something need its csrf token in X-Svc-Csrf: see GET /v1/session.',
  not_found: 'There is no memory with this id.',
  method_not_allowed: 'This path does not support PUT, only DELETE, GET, HEAD, OPTIONS.',
  request_timeout: 'The request took too long to arrive.',
  conflict: 'The first request with this Idempotency-Key is still in progress. Try again in a moment.',
  gone: 'What this Idempotency-Key created has since been erased.',
  precondition_failed: 'The memory was changed since it was read. Read it again first.',
  payload_too_large: 'The body is too large: the limit is 1 MiB, and 16 KiB on routes that need no key.',
  unsupported_media_type: 'Send the body as application/json.',
  unprocessable: 'This Idempotency-Key was used for another request.',
  rate_limited: 'The limit is 120 requests per minute.',
  quota_exceeded: 'You have used 5000 of 5000 memories today. Resets at 2026-11-23T00:00:00.000Z.',
  headers_too_large: 'The request headers are too large.',
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

const HEADERS_OF: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  415: ['Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

interface ProblemResponse {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: { $ref: string }; examples: Record<string, { value: unknown }> }>;
}

/** Facts that decide which errors an operation can answer with. */
interface OperationFacts {
  method: string;
  isPublic: boolean;
  hasPathParameters: boolean;
  operation: Operation;
}

/** Returns the error statuses of an operation, in ascending order. */
function problemStatuses({ method, isPublic, hasPathParameters, operation }: OperationFacts): number[] {
  const isRead = method === 'GET';
  const codes: ErrorCode[] = [
    ...(['invalid_request', 'rate_limited', 'headers_too_large', 'internal', 'unavailable'] as const),
    ...(isPublic ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(hasPathParameters ? (['not_found'] as const) : []),
    // Bodies are parsed even where none is needed.
    ...(isRead ? [] : (['request_timeout', 'payload_too_large', 'unsupported_media_type', 'storage_full'] as const)),
    ...(operation.once ? (['conflict', 'gone', 'unprocessable'] as const) : []),
    ...(honorsIfMatch(method, operation) ? (['precondition_failed'] as const) : []),
    ...(operation.errors ?? []),
  ];
  const statuses = new Set(codes.map((code): number => ERRORS[code].status));
  return [...statuses].sort((one, other) => one - other);
}

function honorsIfMatch(method: string, { etag, ifMatch }: Operation): boolean {
  return ifMatch === true || (etag === true && ['PATCH', 'PUT', 'DELETE'].includes(method));
}

/** Returns the name of the response component of an error status, such as `NotFound`. */
function problemName(status: number): string {
  return codesOf(status)[0]!.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Describes an error status. `headers` are those of the operation. */
function problemResponse(status: number, headers: readonly string[] = []): ProblemResponse {
  const codes = codesOf(status);
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('. '),
    headers: headerReferences([...headers, ...(HEADERS_OF[status] ?? [])]),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, examples } },
  };
}

function codesOf(status: number): ErrorCode[] {
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === status);
}

function exampleOf(code: ErrorCode): object {
  const { title, status } = ERRORS[code];
  return {
    type: `urn:svc:problem:${code}`,
    title,
    status,
    detail: DETAILS[code],
    code,
    requestId: 'req_01a2016d8e3577f4b5d55323fe9aeaa9',
    ...MEMBERS[code],
  };
}

interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
}

interface ApiResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

export interface ApiParameter {
  in: string;
  name: string;
  description?: string;
  schema?: JsonSchema;
}

export interface ApiOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: (ApiParameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, ApiResponse | { $ref: string }>;
}

/** The parts of an OpenAPI document that this module reads and writes. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>;
  components: Record<string, Record<string, unknown>>;
  tags?: object[];
  security?: object[];
  servers?: { url: string }[];
}

const SUCCESS: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  303: 'Redirect to the dashboard',
};

/**
 * Completes the document that `@fastify/swagger` generates from the routes: operation ids, descriptions and examples from
 * the contract, errors and headers as on the wire, and named components instead of repeated schemas. An
 * operation without an entry in the contract stays as generated.
 */
export function completeDocument(generated: ApiDocument, serverUrl: string): ApiDocument {
  const { components, refer } = createSchemaReferences(COMPONENTS);
  const paths = mapValues(generated.paths, (methods, path) =>
    mapValues(methods, (operation, method) => {
      const known = OPERATIONS[`${method.toUpperCase()} ${path}`];
      const complete = known ? completeOperation(operation, method.toUpperCase(), known) : operation;
      const security = withScope(operation.security ?? generated.security, scopeOf(method.toUpperCase(), path));
      return referToSchemas({ ...complete, ...(security && { security }) }, refer);
    }),
  );
  return {
    ...generated,
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...generated.components,
      schemas: components,
      parameters: HEADER_PARAMETERS,
      headers: HEADERS as Record<string, unknown>,
      responses: problemComponents(paths),
    },
  };
}

/** Describes the error statuses to which the operations refer. */
function problemComponents(paths: ApiDocument['paths']): Record<string, object> {
  const responses = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => Object.entries(operation.responses));
  const statuses = new Set(responses.filter(([, response]) => '$ref' in response).map(([status]) => Number(status)));
  return Object.fromEntries([...statuses].sort().map((status) => [problemName(status), problemResponse(status)]));
}

function completeOperation(generated: ApiOperation, method: string, operation: Operation): ApiOperation {
  const { parameters = [], security, responses } = generated;
  const succeeding = Object.entries(responses).filter(([status]) => Number(status) < 400) as [string, ApiResponse][];
  const isPage = succeeding.some(([, { content }]) => content?.['text/html']);
  const answered = succeeding.map(([status, response]) => [status, completeAnswer(status, response, operation)]);
  const hasPathParameters = parameters.some((one) => 'in' in one && one.in === 'path');
  const statuses = problemStatuses({ method, isPublic: security?.length === 0, hasPathParameters, operation });
  const refused = statuses.map((status) => [status, refusal(status, operation, isPage)]);
  const unchanged = method === 'GET' && operation.etag ? [[304, notModified()]] : [];
  const requestBody = bodyOf(generated, operation);
  const all = [
    ...parameters.map(describeParameter),
    ...(operation.parameters ?? []),
    ...headerParametersOf(method, operation),
  ];
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    ...generated,
    description: operation.description,
    ...(all.length > 0 && { parameters: all }),
    ...(requestBody && { requestBody }),
    responses: Object.fromEntries([...answered, ...unchanged, ...refused]),
  };
}

/**
 * Names the scope that an operation needs with each credential that it accepts. Operations that need no credential, or
 * handle an optional one themselves, are not changed.
 */
function withScope(alternatives: object[] | undefined, scope: Scope): object[] | undefined {
  if (alternatives?.some((one) => Object.keys(one).length === 0)) return alternatives;
  return alternatives?.map((one) => mapValues(one as Record<string, unknown>, () => [scope]));
}

function describeParameter(parameter: ApiParameter | { $ref: string }): ApiParameter | { $ref: string } {
  if ('$ref' in parameter || parameter.description !== undefined) return parameter;
  const description = PARAMETERS[parameter.name];
  return description === undefined ? parameter : { ...parameter, description };
}

function completeAnswer(status: string, { content }: ApiResponse, operation: Operation): ApiResponse {
  const { etag, location, once, headers = [] } = operation;
  const more = [
    ...(etag && content ? ['ETag'] : []),
    ...(location || status === '303' ? ['Location'] : []),
    ...(once ? ['Idempotency-Replayed'] : []),
    ...headers,
  ];
  return {
    description: SUCCESS[status] ?? status,
    headers: headerReferences(more),
    ...(content && { content: mapValues(content, ({ schema }) => ({ schema, example: operation.answer })) }),
  };
}

/** Refers to the component of an error, unless this operation's error responses have special headers or pages. */
function refusal(status: number, { headers }: Operation, isPage: boolean): ApiResponse | { $ref: string } {
  if (headers === undefined) return { $ref: `#/components/responses/${problemName(status)}` };
  const problem = problemResponse(status, headers);
  const page = { 'text/html': { schema: { type: 'string' } } };
  return isPage && status < 500 ? { ...problem, content: { ...problem.content, ...page } } : problem;
}

function notModified(): ApiResponse {
  return { description: 'Not modified', headers: headerReferences(['ETag']) };
}

function headerParametersOf(method: string, operation: Operation): { $ref: string }[] {
  return [
    ...(operation.resumable ? [parameterReference('LastEventId')] : []),
    ...(operation.once ? [parameterReference('IdempotencyKey')] : []),
    ...(operation.etag && method === 'GET' ? [parameterReference('IfNoneMatch')] : []),
    ...(honorsIfMatch(method, operation) ? [parameterReference('IfMatch')] : []),
  ];
}

function bodyOf({ requestBody }: ApiOperation, operation: Operation): ApiOperation['requestBody'] {
  const { upload, request, optionalBody } = operation;
  if (upload) {
    const media = { schema: { type: 'string' }, example: request };
    return { required: true, content: Object.fromEntries(upload.map((type) => [type, media])) };
  }
  if (!requestBody) return undefined;
  const content = mapValues(requestBody.content, ({ schema }) => ({ schema, example: request }));
  return { required: optionalBody !== true, content };
}

function referToSchemas(operation: ApiOperation, refer: (schema: JsonSchema) => JsonSchema): ApiOperation {
  const referIn = <T extends { schema?: JsonSchema }>(part: T): T =>
    part.schema ? { ...part, schema: refer(part.schema) } : part;
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((one) => ('$ref' in one ? one : referIn(one))) }),
    ...(requestBody && { requestBody: { ...requestBody, content: mapValues(requestBody.content, referIn) } }),
    responses: mapValues(responses, (response) =>
      'content' in response ? { ...response, content: mapValues(response.content, referIn) } : response,
    ),
  };
}

function mapValues<T, Changed>(
  values: Record<string, T> = {},
  change: (value: T, key: string) => Changed,
): Record<string, Changed> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
}
