import { OPERATIONS } from '../contract/all-operations.ts';
import type { ApiDocument, ApiOperation, ApiParameter } from '../daemon/openapi-document.ts';
import type { JsonSchema } from '../daemon/openapi-schemas.ts';

/** A parameter with everything that the page shows of it. */
export interface Parameter extends ApiParameter {
  required?: boolean;
  example?: unknown;
}

export interface Response {
  description: string;
  headers: string[];
  /** The first media type, if there is a body. */
  mediaType?: string;
  schema?: JsonSchema;
  example?: unknown;
}

/** The credential that the samples of an operation use. */
export type Credential = 'none' | 'key' | 'session';

/** An operation with its references followed. */
export interface Endpoint {
  id: string;
  /** Upper case. */
  method: string;
  path: string;
  summary: string;
  description: string;
  tag: string;
  credential: Credential;
  parameters: Parameter[];
  body?: { mediaTypes: string[]; required: boolean; schema: JsonSchema; example: unknown };
  /** Successful responses by status. */
  answers: Record<string, Response>;
  /** Descriptions of failures by status. */
  failures: Record<string, string>;
}

/** Returns a function that follows `$ref`, if the value is a reference. */
export function referenceFollower(document: ApiDocument) {
  return function follow<T extends object>(value: T | { $ref: string }): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
    const names = value.$ref.replace('#/', '').split('/');
    const target = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
    return follow(target as T);
  };
}

export type Follow = ReturnType<typeof referenceFollower>;

/** Lists the operations of a document in the order of the contract, which puts what is used most first. */
export function endpointsOf(document: ApiDocument, follow: Follow): Endpoint[] {
  const order = Object.keys(OPERATIONS);
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => endpointOf(method.toUpperCase(), path, operation, follow)),
  );
  const rank = ({ method, path }: Endpoint) => order.indexOf(`${method} ${path}`);
  return endpoints.sort((one, other) => rank(one) - rank(other));
}

function endpointOf(method: string, path: string, operation: ApiOperation, follow: Follow): Endpoint {
  const { operationId = '', summary = '', description = '', tags = [], security, requestBody } = operation;
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    return [status, responseOf(follow(response))] as const;
  });
  const media = requestBody && Object.entries(requestBody.content);
  return {
    id: operationId,
    method,
    path,
    summary,
    description,
    tag: tags[0] ?? '',
    credential: credentialOf(security),
    parameters: (operation.parameters ?? []).map((one) => follow<Parameter>(one)),
    ...(media?.[0] && {
      body: {
        mediaTypes: media.map(([type]) => type),
        required: requestBody?.required !== false,
        schema: media[0][1].schema ?? {},
        example: media[0][1].example,
      },
    }),
    answers: Object.fromEntries(responses.filter(([status]) => Number(status) < 400)),
    failures: Object.fromEntries(
      responses.filter(([status]) => Number(status) >= 400).map(([status, { description }]) => [status, description]),
    ),
  };
}

/** Chooses among the alternatives of an operation, or of the document if the operation has none. */
function credentialOf(alternatives: readonly object[] | undefined): Credential {
  if (alternatives === undefined) return 'key';
  const schemes = alternatives.map((one) => Object.keys(one));
  if (schemes.length === 0 || schemes.some((names) => names.length === 0)) return 'none';
  return schemes.flat().includes('apiKey') ? 'key' : 'session';
}

function responseOf({
  description,
  headers = {},
  content,
}: Exclude<ApiOperation['responses'][string], { $ref: string }>) {
  const [mediaType, media] = Object.entries(content ?? {})[0] ?? [];
  return { description, headers: Object.keys(headers), ...(mediaType && { mediaType, ...media }) };
}
