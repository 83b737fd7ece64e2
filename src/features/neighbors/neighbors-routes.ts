import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams } from '../../contract/common.ts';
import { MemoryNeighbors, NeighborsQuery } from '../../contract/neighbors.ts';
import { MemoryUse, MemoryUses, MemoryUsesQuery } from '../../contract/searches.ts';
import type { MemoryUseReading } from './memory-use.ts';
import type { FindNeighbors } from './neighbors.ts';

export function neighborsRoutes({
  memoryUse,
  neighbors,
}: {
  memoryUse: MemoryUseReading;
  neighbors: FindNeighbors;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/memories/:id/use', { schema: { params: IdParams, response: { 200: MemoryUse } } }, (request) =>
      memoryUse.find(request.principal, request.params.id),
    );
    app.get(
      '/v1/memories/uses',
      { schema: { querystring: MemoryUsesQuery, response: { 200: MemoryUses } } },
      async (request) => ({ data: await memoryUse.findMany(request.principal, [request.query.id].flat()) }),
    );
    app.get(
      '/v1/memories/:id/neighbors',
      { schema: { params: IdParams, querystring: NeighborsQuery, response: { 200: MemoryNeighbors } } },
      async (request) => {
        const { principal, params, query } = request;
        return { data: await neighbors(principal, params.id, query.limit ?? 10) };
      },
    );
  };
}
