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
  const header = request.headers['idempotency-key'];
  const key = Array.isArray(header) ? header.join(',') : header;
  const { tenantId } = request.principal;
  const created = await idempotency.once({ tenantId, key, operation: operationOf(request), body: request.body }, work);
  if (created.replayed) reply.header('Idempotency-Replayed', 'true');
  reply.code(created.status);
  return created.body;
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
