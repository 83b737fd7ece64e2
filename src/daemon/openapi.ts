import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type ApiDocument, completeDocument } from './openapi-document.ts';

const DESCRIPTION = `Persistent memory for AI assistants.

- Send your API key as \`Authorization: Bearer svc_live_…\`. Another account's resource answers exactly as one that does not exist.
- Errors are problem documents (RFC 9457). Unknown fields and parameters are refused, and types are not coerced.
- Lists answer \`{data, nextCursor}\`. A cursor is opaque and valid only with the filters it was issued for.
- Every response carries the rate limit headers and \`X-Request-Id\`.
- Every path answers \`OPTIONS\` with 204 and \`Allow\`, and any other method that it does not support with 405. \`HEAD\` answers like \`GET\` without the body.
`;

const CREDENTIAL =
  'Your API key, which has every scope, or the token of a device, which has the scope `memory`. Scopes are `memory:read`, `memory` and `account`, each of which includes those before it: the security of an operation names the one that it needs.';

/** Serves the OpenAPI document at `/v1/openapi.json`. Call it before the routes are added. */
export async function addApiDocument(app: FastifyInstance, version: string, publicUrl: () => string): Promise<void> {
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc',
        version,
        summary: 'Persistent memory for AI assistants',
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      } as { title: string; version: string },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_<32 hex>', description: CREDENTIAL },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-svc',
            description:
              'The session of the web app: see `POST /v1/session`. Without https its name is `svc_session`. Requests that change something need `X-Svc-Csrf` too.',
          },
        },
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
    transformObject: (generated) =>
      completeDocument((generated as unknown as { openapiObject: ApiDocument }).openapiObject, publicUrl()) as never,
  });
  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
