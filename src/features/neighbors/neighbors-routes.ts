import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams } from '../../contract/common.ts';
import { MemoryNeighbors, NeighborsQuery } from '../../contract/neighbors.ts';
import { MemoryUse, MemoryUses, MemoryUsesQuery } from '../../contract/searches.ts';
import type { MemoryUseReading } from './memory-use.ts';
import type { FindNeighbors } from './neighbors.ts';

const tags = ['memories'];

export function neighborsRoutes({
  memoryUse,
  neighbors,
}: {
  memoryUse: MemoryUseReading;
  neighbors: FindNeighbors;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/memories/:id/use',
      {
        schema: {
          summary: 'Count the searches that showed a memory, and its uses',
          tags,
          params: IdParams,
          response: { 200: MemoryUse },
        },
      },
      (request) => memoryUse.find(request.principal, request.params.id),
    );
    app.get(
      '/v1/memories/uses',
      {
        schema: {
          summary: 'Count the searches that showed several memories, and their uses',
          tags,
          querystring: MemoryUsesQuery,
          response: { 200: MemoryUses },
        },
      },
      async (request) => ({ data: await memoryUse.findMany(request.principal, [request.query.id].flat()) }),
    );
    app.get(
      '/v1/memories/:id/neighbors',
      {
        schema: {
          summary: 'List the memories that are related to one',
          tags,
          params: IdParams,
          querystring: NeighborsQuery,
          response: { 200: MemoryNeighbors },
        },
      },
      async (request) => {
        const { principal, params, query } = request;
        return { data: await neighbors(principal, params.id, query.limit ?? 10) };
      },
    );
  };
}
