import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { JobAccepted, NewTidy } from '../../contract/jobs.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce } from '../idempotency/idempotency-routes.ts';
import type { TidyJobs } from './tidy-jobs.ts';

export function tidyRoutes({
  tidyJobs,
  idempotency,
}: {
  tidyJobs: TidyJobs;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/tidy',
      {
        // The body is optional.
        preValidation: async (request) => {
          if (request.body === undefined) request.body = {};
        },
        schema: { body: NewTidy, response: { 202: JobAccepted } },
      },
      async (request, reply) => {
        const accepted = await createOnce(idempotency, request, reply, (claim) =>
          tidyJobs.requestOnce(request.principal, request.body, claim),
        );
        reply.header('Location', `/v1/jobs/${accepted.jobId}`);
        return accepted;
      },
    );
  };
}
