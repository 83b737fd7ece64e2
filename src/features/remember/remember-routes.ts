import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Remembered, RememberRequest } from '../../contract/remember.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce } from '../idempotency/idempotency-routes.ts';
import type { Remember } from './remember.ts';

export function rememberRoutes({
  remember,
  idempotency,
}: {
  remember: Remember;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/remember',
      {
        schema: {
          summary: 'Store messages, and extract memories from them if the account has switched that on',
          tags: ['conversations'],
          body: RememberRequest,
          response: { 201: Remembered },
        },
      },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) => remember.once(request.principal, request.body, claim)),
    );
  };
}
