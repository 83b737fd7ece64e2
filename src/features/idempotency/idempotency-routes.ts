import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesWeakly } from '../../lib/entity-tag.ts';
import type { Claim, Created, Idempotency } from './idempotency.ts';

/** Runs a create request at most once per `Idempotency-Key` and sets the response status. */
export async function createOnce<T>(
  idempotency: Idempotency,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (claim: Claim | undefined) => Promise<Created<T>>,
): Promise<T> {
  const { tenantId, space } = request.principal;
  const claimed = { tenantId, member: space?.member.tenantId, key: keyOf(request), operation: operationOf(request) };
  const created = await idempotency.once({ ...claimed, body: request.body }, work);
  return sendCreated(reply, created);
}

/** The `Idempotency-Key` of a request. */
export function keyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key'];
  return Array.isArray(header) ? header.join(',') : header;
}

/** Sets the status of a create request and whether it was replayed, and returns its body. */
export function sendCreated<T>(reply: FastifyReply, { status, body, replayed }: Created<T>): T {
  if (replayed) reply.header('Idempotency-Replayed', 'true');
  reply.code(status);
  return body;
}

/** Identifies the operation by route and path parameters: the same body for another conversation is a different request. */
function operationOf({ method, routeOptions, params }: FastifyRequest): string {
  return [method, routeOptions.url, ...Object.values(params as Record<string, string>)].join(' ');
}

/** Sends a resource with its `ETag`, or 304 if the caller already has that version. */
export function sendWithEtag<T>(request: FastifyRequest, reply: FastifyReply, resource: T, etag: string): T {
  reply.header('ETag', etag);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const ifNoneMatch = isRead ? request.headers['if-none-match'] : undefined;
  return ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag) ? (reply.code(304).send() as never) : resource;
}
