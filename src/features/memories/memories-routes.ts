import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams, NoContent } from '../../contract/common.ts';
import {
  AddedMemories,
  AddedMemory,
  ChangedMemory,
  ExternalMemory,
  ExternalParams,
  ExternalQuery,
  filterOf,
  MemoriesQueryText,
  Memory,
  MemoryAddition,
  MemoryChange,
  MemoryHistory,
  MemoryHistoryQuery,
  MemoryPage,
  NewMemories,
} from '../../contract/memories.ts';
import { MemoryStats, MemoryStatsQueryText } from '../../contract/memories-stats.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import { addWithRelated, etagOf, type FindRelated, type Memories } from './memories.ts';
import { bulkRoutes } from './memories-bulk-routes.ts';

export function memoriesRoutes({
  memories,
  idempotency,
  findRelated,
}: {
  memories: Memories;
  idempotency: Idempotency;
  findRelated: FindRelated;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(externalRoutes(memories));
    await app.register(bulkRoutes({ memories, idempotency }));
    await app.register(statsRoutes({ memories }));
    app.post(
      '/v1/memories',
      { schema: { body: MemoryAddition, response: { 200: AddedMemory, 201: AddedMemory } } },
      async (request, reply) => {
        const { related = 0, ...memory } = request.body;
        const added = await addWithRelated(findRelated, request.principal, memory, related, () =>
          createOnce(idempotency, request, reply, (claim) => memories.addOnce(request.principal, memory, claim)),
        );
        reply.header('ETag', etagOf(added)).header('Location', `/v1/memories/${added.id}`);
        return added;
      },
    );
    app.post(
      '/v1/memories/batch',
      { schema: { body: NewMemories, response: { 201: AddedMemories } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          memories.addBatchOnce(request.principal, request.body.memories, claim),
        ),
    );
    app.get('/v1/memories', { schema: { querystring: MemoriesQueryText, response: { 200: MemoryPage } } }, (request) =>
      memories.list(request.principal, filterOf(request.query)),
    );
    app.get('/v1/memories/:id', { schema: { params: IdParams, response: { 200: Memory } } }, async (request, reply) => {
      const memory = await memories.get(request.principal, request.params.id);
      return sendWithEtag(request, reply, memory, etagOf(memory));
    });
    app.patch(
      '/v1/memories/:id',
      { schema: { params: IdParams, body: MemoryChange, response: { 200: ChangedMemory } } },
      async (request, reply) => {
        const ifMatch = request.headers['if-match'];
        const memory = await memories.change(request.principal, request.params.id, request.body, ifMatch);
        return sendWithEtag(request, reply, memory, etagOf(memory));
      },
    );
    app.delete(
      '/v1/memories/:id',
      { schema: { params: IdParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await memories.remove(request.principal, request.params.id, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
    app.get(
      '/v1/memories/:id/history',
      { schema: { params: IdParams, querystring: MemoryHistoryQuery, response: { 200: MemoryHistory } } },
      ({ principal, params, query }) => memories.history(principal, params.id, query),
    );
  };
}

function externalRoutes({ external }: Memories): FastifyPluginAsyncTypebox {
  const path = '/v1/memories/external/:externalId';
  return async (app) => {
    app.put(
      path,
      {
        schema: { params: ExternalParams, body: ExternalMemory, response: { 200: ChangedMemory, 201: ChangedMemory } },
      },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const { memory, isNew } = await external.put(principal, params.externalId, body, headers['if-match']);
        if (isNew) reply.code(201).header('Location', `/v1/memories/${memory.id}`);
        return sendWithEtag(request, reply, memory, etagOf(memory));
      },
    );
    app.get(
      path,
      { schema: { params: ExternalParams, querystring: ExternalQuery, response: { 200: Memory } } },
      async (request, reply) => {
        const memory = await external.get(request.principal, { ...request.params, ...request.query });
        return sendWithEtag(request, reply, memory, etagOf(memory));
      },
    );
    app.delete(
      path,
      { schema: { params: ExternalParams, querystring: ExternalQuery, response: { 204: NoContent } } },
      async (request, reply) => {
        const { principal, params, query, headers } = request;
        await external.remove(principal, { ...params, ...query }, headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}

function statsRoutes({ memories }: { memories: Memories }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/memories/stats',
      { schema: { querystring: MemoryStatsQueryText, response: { 200: MemoryStats } } },
      (request) => memories.stats(request.principal, filterOf(request.query)),
    );
  };
}
