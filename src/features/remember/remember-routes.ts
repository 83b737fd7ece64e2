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
    app.post('/v1/remember', { schema: { body: RememberRequest, response: { 201: Remembered } } }, (request, reply) =>
      createOnce(idempotency, request, reply, (claim) => remember.once(request.principal, request.body, claim)),
    );
  };
}
