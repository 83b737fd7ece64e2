import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams } from '../../contract/common.ts';
import { MemoryUse } from '../../contract/searches.ts';
import type { FindMemoryUse } from './memory-use.ts';

const tags = ['memories'];

export function neighborsRoutes({ memoryUse }: { memoryUse: FindMemoryUse }): FastifyPluginAsyncTypebox {
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
      (request) => memoryUse(request.principal, request.params.id),
    );
  };
}
