import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { PRIVATE_HEADERS } from '../connections/private-headers.ts';
import type { OAuthClients } from './clients.ts';
import type { Grants, IssuedTokens } from './grants.ts';
import { addressesOf, PATHS } from './oauth-addresses.ts';
import { OAuthError } from './oauth-error.ts';
import { OAUTH_SCOPES } from './oauth-scope.ts';
import { isRecord, type Parameters, readParameters, required, requireResource } from './parameters.ts';

interface Dependencies {
  clients: OAuthClients;
  grants: Grants;
  /** Counts a registration of an address. Throws `rate_limited`. */
  limitRegistrations(address: string): Promise<void>;
  publicUrl: () => string;
}

const schema = { hide: true };

/** The endpoints that clients call without a user: registration, tokens and revocation. Clients are public. */
export function oauthTokenRoutes({ clients, grants, limitRegistrations, publicUrl }: Dependencies): FastifyPluginAsync {
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
      forms.removeAllContentTypeParsers();
      await forms.register(formbody);
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
  const fields = isRecord(body) ? Object.entries(body) : [];
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
