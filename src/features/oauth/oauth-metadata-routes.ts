import type { FastifyPluginAsync } from 'fastify';
import { addressesOf, PATHS } from './oauth-addresses.ts';
import { OAUTH_SCOPES } from './oauth-scope.ts';

const CACHED = { 'Cache-Control': 'public, max-age=300' };

/** The documents by which clients find the authorization server (RFC 9728) and its endpoints (RFC 8414). */
export function oauthMetadataRoutes({ publicUrl }: { publicUrl: () => string }): FastifyPluginAsync {
  return async (app) => {
    for (const path of [PATHS.resourceMetadata, PATHS.resourceMetadata + PATHS.resource]) {
      app.get(path, { schema: { hide: true } }, (_request, reply) =>
        reply.headers(CACHED).send(resourceMetadata(publicUrl())),
      );
    }
    app.get(PATHS.serverMetadata, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(CACHED).send(serverMetadata(publicUrl())),
    );
  };
}

function resourceMetadata(publicUrl: string): object {
  const { issuer, resource } = addressesOf(publicUrl);
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: OAUTH_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'svc memory',
  };
}

function serverMetadata(publicUrl: string): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + PATHS.authorize,
    token_endpoint: publicUrl + PATHS.token,
    registration_endpoint: publicUrl + PATHS.register,
    revocation_endpoint: publicUrl + PATHS.revoke,
    scopes_supported: OAUTH_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    // A server without https is one of a private network, which may not reach the documents: clients would fail.
    client_id_metadata_document_supported: publicUrl.startsWith('https:'),
  };
}
