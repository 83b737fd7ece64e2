import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import type { Search } from './search.ts';

const tags = ['search'];

export function searchRoutes({ search }: { search: Search }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/search',
      {
        schema: {
          summary: 'Search memories, messages and episodes',
          tags,
          body: SearchRequest,
          response: { 200: SearchAnswer },
        },
      },
      (request) => search.search(request.principal, request.body),
    );
    app.post(
      '/v1/context',
      {
        schema: {
          summary: 'Compose a block of text for a prompt within a token budget',
          tags,
          body: ContextRequest,
          response: { 200: ContextAnswer },
        },
      },
      (request) => search.context(request.principal, request.body),
    );
  };
}
