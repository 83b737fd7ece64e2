import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Random } from '../../lib/random.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import { PRIVATE_HEADERS } from '../connections/private-headers.ts';
import type { BearerTokens, Principal } from '../keys/keys.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { answerTo, narrowTo, readAuthorizationRequest } from './authorization-request.ts';
import type { OAuthClients } from './clients.ts';
import type { Grants, IssuedTokens } from './grants.ts';
import type { MailedConsent } from './mailed-consent.ts';
import type { OAuth } from './oauth.ts';
import { addressesOf, challengeOf, PATHS } from './oauth-addresses.ts';
import { OAuthError } from './oauth-error.ts';
import { acceptForms, oauthMailRoutes } from './oauth-mail-routes.ts';
import { OAUTH_SCOPES } from './oauth-scope.ts';
import { type Parameters, readParameters, required, requireResource } from './parameters.ts';
import { destinationOf } from './redirect-uri.ts';

interface OauthTokenRoutesDependencies {
  clients: OAuthClients;
  grants: Grants;
  /** Counts a registration of an address. Throws `rate_limited`. */
  limitRegistrations(address: string): Promise<void>;
  publicUrl: () => string;
}

const schema = { hide: true };

/** The endpoints that clients call without a user: registration, tokens and revocation. Clients are public. */
function oauthTokenRoutes({
  clients,
  grants,
  limitRegistrations,
  publicUrl,
}: OauthTokenRoutesDependencies): FastifyPluginAsync {
  return async (app) => {
    answerOAuthErrors(app);
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers(PRIVATE_HEADERS);
    });

    app.post(PATHS.register, { schema }, async (request, reply) => {
      await limitRegistrations(request.ip);
      const { id, name, redirectUris, createdAt } = await clients.register(request.body);
      return reply.code(201).send({
        client_id: id,
        client_id_issued_at: Math.floor(createdAt / 1000),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope: OAUTH_SCOPES.join(' '),
      });
    });

    await app.register(async (forms) => {
      await acceptForms(forms);
      forms.post(PATHS.token, { schema }, async (request) => {
        const parameters = parametersOf(request);
        requireResource(parameters, addressesOf(publicUrl()).resource);
        return redeem(grants, parameters);
      });
      forms.post(PATHS.revoke, { schema }, async (request) => {
        await grants.revoke(parametersOf(request));
        return {};
      });
    });
  };
}

async function redeem(grants: Grants, parameters: Parameters): Promise<IssuedTokens> {
  const grantType = required(parameters, 'grant_type');
  if (grantType === 'authorization_code') return grants.redeemCode(parameters);
  if (grantType === 'refresh_token') return grants.redeemRefreshToken(parameters);
  throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
}

/** Reads the form of a request. Repeated parameters arrive as arrays. */
function parametersOf({ body, headers }: FastifyRequest): Parameters {
  if (headers.authorization !== undefined) {
    throw new OAuthError('invalid_client', 'Clients are public: send client_id in the form, without Authorization.');
  }
  const fields = isObject(body) ? Object.entries(body) : [];
  return readParameters(fields.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)] as const)));
}

/** Answers an `OAuthError` as RFC 6749 (section 5.2) has it; everything else is a problem document, as everywhere. */
function answerOAuthErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof OAuthError)) throw error;
    if (error.code === 'invalid_client') reply.header('WWW-Authenticate', 'Basic realm="svc"');
    return reply
      .code(error.status)
      .headers(PRIVATE_HEADERS)
      .send({ error: error.code, error_description: error.message });
  });
}

interface OauthConsentRoutesDependencies {
  clients: OAuthClients;
  grants: Grants;
  publicUrl: () => string;
}

const Query = Type.Object({ request: Type.String({ maxLength: 8000 }) }, strict);
const Decision = Type.Object(
  { ...Query.properties, allow: Type.Boolean(), scope: Type.Optional(Type.Enum([...OAUTH_SCOPES])) },
  strict,
);

/**
 * What the page asks: about a request, and to answer it. Only the session of a browser may: its requests that change
 * something need the csrf token, and cannot come from another site.
 */
function oauthConsentRoutes({ clients, grants, publicUrl }: OauthConsentRoutesDependencies): FastifyPluginAsyncTypebox {
  const read = (query: string) => readAuthorizationRequest(query, clients, addressesOf(publicUrl()));
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(PRIVATE_HEADERS);
      requireSession(request.principal);
    });

    const config = { scope: 'account', personal: true } as const;
    app.get(PATHS.consent, { schema: { hide: true, querystring: Query }, config }, async ({ query, principal }) => {
      const { client, redirectUri, scope } = await read(query.request);
      const { name, verifiedHost } = client;
      return {
        ...{ email: principal.email, client: name, verifiedHost: verifiedHost ?? null, scope },
        destination: destinationOf(redirectUri),
      };
    });

    app.post(PATHS.consent, { schema: { hide: true, body: Decision }, config }, async ({ body, principal, ip }) => {
      const request = await read(body.request);
      const addresses = addressesOf(publicUrl());
      if (!body.allow) return { redirectTo: answerTo(request, { error: 'access_denied' }, addresses) };
      const code = await grants.allow(principal, ip, narrowTo(body.scope, request));
      return { redirectTo: answerTo(request, { code }, addresses) };
    });
  };
}

/** Throws `forbidden` unless a session calls. */
function requireSession({ credential }: Principal): void {
  if (credential.kind === 'session') return;
  throw new AppError('forbidden', 'Only a browser that is signed in to the web app can allow clients.');
}

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
