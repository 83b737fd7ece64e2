import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DeletedMemories,
  FoundMemories,
  MemoriesDeletion,
  MemoriesRequest,
  MemoriesUpdate,
  UpdatedMemories,
} from '../../contract/memories-bulk.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce } from '../idempotency/idempotency-routes.ts';
import type { Memories } from './memories.ts';

/** Calls for many memories at once. */
export function bulkRoutes({
  memories: { bulk },
  idempotency,
}: {
  memories: Memories;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/memories/query', { schema: { body: MemoriesRequest, response: { 200: FoundMemories } } }, (request) =>
      bulk.query(request.principal, request.body),
    );
    app.post(
      '/v1/memories/update',
      { schema: { body: MemoriesUpdate, response: { 200: UpdatedMemories } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) => bulk.updateOnce(request.principal, request.body, claim)),
    );
    app.post(
      '/v1/memories/delete',
      { schema: { body: MemoriesDeletion, response: { 200: DeletedMemories } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) => bulk.deleteOnce(request.principal, request.body, claim)),
    );
  };
}
