import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import type { Random } from '../../lib/random.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import type { BearerTokens } from '../keys/keys.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { MailedConsent } from './mailed-consent.ts';
import type { OAuth } from './oauth.ts';
import { addressesOf, challengeOf, PATHS } from './oauth-addresses.ts';
import { oauthConsentRoutes } from './oauth-consent-routes.ts';
import { oauthMailRoutes } from './oauth-mail-routes.ts';
import { OAUTH_SCOPES } from './oauth-scope.ts';
import { oauthTokenRoutes } from './oauth-token-routes.ts';

const CACHED = { 'Cache-Control': 'public, max-age=300' };

/** The documents by which clients find the authorization server (RFC 9728) and its endpoints (RFC 8414). */
function oauthMetadataRoutes({ publicUrl }: { publicUrl: () => string }): FastifyPluginAsync {
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

/** The bearer tokens, challenge and routes that OAuth adds to a daemon: none if it is off. */
export interface OAuthParts {
  bearers: readonly BearerTokens[];
  /** The challenge of a 401 from MCP. */
  challenge: (() => string) | undefined;
  publicRoutes: readonly FastifyPluginAsync[];
  protectedRoutes: readonly FastifyPluginAsync[];
}

interface Dependencies {
  isOn: boolean;
  oauth: OAuth;
  mailedConsent: MailedConsent;
  rateLimits: RateLimits;
  limitSignIns: LimitSignIns;
  random: Random;
  publicUrl: () => string;
}

/** Builds the routes and the bearer tokens of OAuth. */
export function oauthParts(dependencies: Dependencies): OAuthParts {
  const { isOn, oauth, mailedConsent, rateLimits, limitSignIns, random, publicUrl } = dependencies;
  if (!isOn) return { bearers: [], challenge: undefined, publicRoutes: [], protectedRoutes: [] };
  const { clients, grants, accessTokens } = oauth;
  async function limitRegistrations(address: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await rateLimits.takeRegistration(address);
    if (allowed) return;
    const message = 'Too many clients registered from this IP address. Try again later.';
    throw new AppError('rate_limited', message, { retryAfterSeconds });
  }
  return {
    bearers: [accessTokens],
    challenge: () => challengeOf(publicUrl()),
    publicRoutes: [
      oauthMetadataRoutes({ publicUrl }),
      oauthTokenRoutes({ clients, grants, limitRegistrations, publicUrl }),
      oauthMailRoutes({ mailedConsent, limitSignIns, random, publicUrl }),
    ],
    protectedRoutes: [oauthConsentRoutes({ clients, grants, publicUrl })],
  };
}
