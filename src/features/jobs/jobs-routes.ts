import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams, NoContent } from '../../contract/common.ts';
import { Job, JobPage, JobsQuery } from '../../contract/jobs.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { Jobs } from './jobs.ts';

export function jobsRoutes({ jobs }: { jobs: Jobs }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/jobs', { schema: { querystring: JobsQuery, response: { 200: JobPage } } }, (request) =>
      jobs.list(request.principal, request.query),
    );
    app.get('/v1/jobs/:id', { schema: { params: IdParams, response: { 200: Job } } }, async (request, reply) => {
      const job = await jobs.get(request.principal, request.params.id);
      return sendWithEtag(request, reply, job, contentTagOf(job));
    });
    app.delete(
      '/v1/jobs/:id',
      { schema: { params: IdParams, response: { 204: NoContent } } },
      async (request, reply) => {
        await jobs.remove(request.principal, request.params.id, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}
