import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams } from '../../contract/common.ts';
import {
  Topic,
  TopicChange,
  TopicDetails,
  TopicMerge,
  TopicPage,
  TopicSplit,
  TopicsQuery,
} from '../../contract/topics.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import { etagOfTopic } from './topic-answers.ts';
import type { Topics } from './topics.ts';

const params = IdParams;

/** The routes of topics. */
export function topicsRoutes({
  topics,
  idempotency,
}: {
  topics: Topics;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/topics', { schema: { querystring: TopicsQuery, response: { 200: TopicPage } } }, (request) =>
      topics.list(request.principal, request.query),
    );
    app.get('/v1/topics/:id', { schema: { params, response: { 200: TopicDetails } } }, async (request, reply) => {
      const topic = await topics.get(request.principal, request.params.id);
      return sendWithEtag(request, reply, topic, etagOfTopic(topic));
    });
    app.patch(
      '/v1/topics/:id',
      { schema: { params, body: TopicChange, response: { 200: Topic } } },
      async (request, reply) => {
        const {
          principal,
          params: { id },
          body,
          headers,
        } = request;
        const topic = await topics.change(principal, id, body, headers['if-match']);
        return sendWithEtag(request, reply, topic, etagOfTopic(topic));
      },
    );
    app.post(
      '/v1/topics/:id/merge',
      { schema: { params, body: TopicMerge, response: { 200: Topic } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          topics.mergeOnce(request.principal, request.params.id, request.body.topicIds, claim),
        ),
    );
    app.post(
      '/v1/topics/:id/split',
      { schema: { params, body: TopicSplit, response: { 201: Topic } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          topics.splitOnce(request.principal, request.params.id, request.body, claim),
        ),
    );
  };
}
