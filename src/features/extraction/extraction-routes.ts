import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams } from '../../contract/common.ts';
import { JobAccepted, NewExtraction } from '../../contract/jobs.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce } from '../idempotency/idempotency-routes.ts';
import type { Extraction } from './extraction.ts';

export function extractionRoutes({
  extraction,
  idempotency,
}: {
  extraction: Extraction;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/conversations/:id/extract',
      {
        // The body is optional.
        preValidation: async (request) => {
          if (request.body === undefined) request.body = {};
        },
        schema: {
          description: 'Reads the messages since the last extraction. Follow the job at /v1/jobs/{jobId}.',
          params: IdParams,
          body: NewExtraction,
          response: { 202: JobAccepted },
        },
      },
      async (request, reply) => {
        const accepted = await createOnce(idempotency, request, reply, (claim) =>
          extraction.requestOnce(request.principal, request.params.id, request.body, claim),
        );
        reply.header('Location', `/v1/jobs/${accepted.jobId}`);
        return accepted;
      },
    );
  };
}
