import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { NoContent } from '../../contract/common.ts';
import {
  LearnedWordPage,
  LearnedWordsQuery,
  LearnedWordsSelection,
  RetrievalChange,
} from '../../contract/learned-words.ts';
import {
  Feedback,
  FeedbackResult,
  Retrieval,
  RetrievalQuery,
  RetrievalReset,
  SearchParams,
} from '../../contract/learning.ts';
import { StoredSearch, StoredSearchesQuery, StoredSearchPage } from '../../contract/searches.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { Learning } from './learning.ts';
import { etagOfRetrieval } from './retrieval-view.ts';

export function learningRoutes({ learning }: { learning: Learning }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/searches/:searchId/feedback',
      {
        schema: {
          description:
            'Accepted within 24 hours of the search. Each search is learned from once; repeated feedback has no effect.',
          params: SearchParams,
          body: Feedback,
          response: { 202: FeedbackResult },
        },
      },
      async (request, reply) => {
        const taken = await learning.feedback(request.principal, request.params.searchId, request.body);
        return reply.code(202).send(taken);
      },
    );
    app.get(
      '/v1/searches',
      { schema: { querystring: StoredSearchesQuery, response: { 200: StoredSearchPage } } },
      (request) => learning.searches.list(request.principal, request.query),
    );
    app.get(
      '/v1/searches/:searchId',
      { schema: { params: SearchParams, response: { 200: StoredSearch } } },
      async (request, reply) => {
        const search = await learning.searches.get(request.principal, request.params.searchId);
        return sendWithEtag(request, reply, search, contentTagOf(search));
      },
    );
    app.get(
      '/v1/retrieval',
      { schema: { querystring: RetrievalQuery, response: { 200: Retrieval } } },
      async (request, reply) => {
        const retrieval = await learning.show(request.principal, request.query);
        return sendWithEtag(request, reply, retrieval, etagOfRetrieval(retrieval));
      },
    );
    app.delete(
      '/v1/retrieval',
      { schema: { querystring: RetrievalReset, response: { 204: NoContent } } },
      async (request, reply) => {
        await learning.reset(request.principal, request.query.user, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
    app.patch(
      '/v1/retrieval',
      { schema: { body: RetrievalChange, response: { 200: Retrieval } } },
      async (request, reply) => {
        const retrieval = await learning.change(request.principal, request.body, request.headers['if-match']);
        return sendWithEtag(request, reply, retrieval, etagOfRetrieval(retrieval));
      },
    );
    app.get(
      '/v1/retrieval/words',
      { schema: { querystring: LearnedWordsQuery, response: { 200: LearnedWordPage } } },
      (request) => learning.words.list(request.principal, request.query),
    );
    app.delete(
      '/v1/retrieval/words',
      { schema: { querystring: LearnedWordsSelection, response: { 204: NoContent } } },
      async (request, reply) => {
        await learning.words.forget(request.principal, request.query);
        return reply.code(204).send(null);
      },
    );
  };
}
