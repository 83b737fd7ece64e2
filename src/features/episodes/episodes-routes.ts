import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams, NoContent } from '../../contract/common.ts';
import {
  Episode,
  EpisodeChange,
  EpisodePage,
  Episodes as EpisodesAnswer,
  EpisodesQuery,
  NewEpisode,
  WrittenEpisode,
} from '../../contract/episodes.ts';
import { versionTagOf } from '../../lib/entity-tag.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { Episodes } from './episodes.ts';

export function episodesRoutes({
  episodes,
  idempotency,
}: {
  episodes: Episodes;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/episodes',
      { schema: { body: NewEpisode, response: { 201: WrittenEpisode } } },
      async (request, reply) => {
        const created = await createOnce(idempotency, request, reply, (claim) =>
          episodes.createOnce(request.principal, request.body, claim),
        );
        reply.header('Location', `/v1/episodes/${created.id}`);
        return sendWithEtag(request, reply, created, versionTagOf(created));
      },
    );
    app.get('/v1/episodes', { schema: { querystring: EpisodesQuery, response: { 200: EpisodePage } } }, (request) =>
      episodes.list(request.principal, request.query),
    );
    app.get(
      '/v1/episodes/:id',
      { schema: { params: IdParams, response: { 200: Episode } } },
      async (request, reply) => {
        const episode = await episodes.get(request.principal, request.params.id);
        return sendWithEtag(request, reply, episode, versionTagOf(episode));
      },
    );
    app.patch(
      '/v1/episodes/:id',
      { schema: { params: IdParams, body: EpisodeChange, response: { 200: WrittenEpisode } } },
      async (request, reply) => {
        const ifMatch = request.headers['if-match'];
        const episode = await episodes.change(request.principal, request.params.id, request.body, ifMatch);
        return sendWithEtag(request, reply, episode, versionTagOf(episode));
      },
    );
    app.delete(
      '/v1/episodes/:id',
      { schema: { params: IdParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await episodes.remove(request.principal, request.params.id, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
    app.post(
      '/v1/conversations/:id/episodes',
      { schema: { params: IdParams, response: { 201: EpisodesAnswer } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          episodes.cutOnce(request.principal, request.params.id, claim),
        ),
    );
  };
}
