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
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import { etagOfTopic } from './topic-answers.ts';
import type { Topics } from './topics.ts';

const tags = ['topics'];
const params = IdParams;

/** The routes of topics. */
export function topicsRoutes({ topics }: { topics: Topics }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/topics',
      {
        schema: {
          summary: 'List what the memories of a user are about',
          tags,
          querystring: TopicsQuery,
          response: { 200: TopicPage },
        },
      },
      (request) => topics.list(request.principal, request.query),
    );
    app.get(
      '/v1/topics/:id',
      {
        schema: {
          summary: 'Get a topic with what holds of it and what was before',
          tags,
          params,
          response: { 200: TopicDetails },
        },
      },
      async (request, reply) => {
        const topic = await topics.get(request.principal, request.params.id);
        reply.header('ETag', etagOfTopic(topic));
        return topic;
      },
    );
    app.patch(
      '/v1/topics/:id',
      {
        schema: {
          summary: 'Rename a topic, change its aliases, or hide it',
          tags,
          params,
          body: TopicChange,
          response: { 200: Topic },
        },
      },
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
      {
        schema: {
          summary: 'Make other topics part of a topic',
          tags,
          params,
          body: TopicMerge,
          response: { 200: Topic },
        },
      },
      (request) => topics.merge(request.principal, request.params.id, request.body.topicIds),
    );
    app.post(
      '/v1/topics/:id/split',
      {
        schema: {
          summary: 'Make some names of a topic a topic of their own',
          tags,
          params,
          body: TopicSplit,
          response: { 201: Topic },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return topics.split(request.principal, request.params.id, request.body);
      },
    );
  };
}
