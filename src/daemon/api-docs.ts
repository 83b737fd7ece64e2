import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { type ApiDocument, completeDocument } from './openapi-document.ts';

/**
 * Content-Security-Policy of the API documentation: as strict as the dashboard's, except that Swagger UI sets style
 * attributes and has images in its style sheet.
 */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const DESCRIPTION = `Persistent memory for AI assistants.

- Send your API key as \`Authorization: Bearer svc_live_…\`. Another account's resource answers exactly as one that does not exist.
- Errors are problem documents (RFC 9457). Unknown fields and parameters are refused, and types are not coerced.
- Lists answer \`{data, nextCursor}\`. A cursor is opaque and valid only with the filters it was issued for.
- Every response carries the rate limit headers and \`X-Request-Id\`.
- Every path answers \`OPTIONS\` with 204 and \`Allow\`, and any other method that it does not support with 405. \`HEAD\` answers like \`GET\` without the body.
`;

/** Serves the OpenAPI document at `/v1/openapi.json` and a readable page of it at `/docs`. Call it before the routes are added. */
export async function addApiDocs(app: FastifyInstance, version: string, publicUrl: () => string): Promise<void> {
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
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_<32 hex>', description: 'Your API key' },
        },
      },
      security: [{ apiKey: [] }],
    },
    transformObject: (generated) =>
      completeDocument((generated as unknown as { openapiObject: ApiDocument }).openapiObject, publicUrl()) as never,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_POLICY,
    uiConfig: { validatorUrl: null },
    logLevel: 'warn',
    // The page may only call its own origin, whatever name it was opened under.
    transformSpecification: (document) => ({ ...document, servers: [{ url: '/' }] }),
    transformSpecificationClone: false,
  });
  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
