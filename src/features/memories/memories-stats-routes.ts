import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { filterOf } from '../../contract/memories.ts';
import { MemoryStats, MemoryStatsQueryText } from '../../contract/memories-stats.ts';
import type { Memories } from './memories.ts';

export function statsRoutes({ memories }: { memories: Memories }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/memories/stats',
      {
        schema: {
          summary: 'Count memories by user, tag, project, source, client, state and day',
          tags: ['memories'],
          querystring: MemoryStatsQueryText,
          response: { 200: MemoryStats },
        },
      },
      (request) => memories.stats(request.principal, filterOf(request.query)),
    );
  };
}
