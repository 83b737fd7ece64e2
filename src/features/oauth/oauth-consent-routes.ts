import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { PRIVATE_HEADERS } from '../connections/private-headers.ts';
import type { Principal } from '../keys/keys.ts';
import { answerTo, narrowTo, readAuthorizationRequest } from './authorization-request.ts';
import type { OAuthClients } from './clients.ts';
import type { Grants } from './grants.ts';
import { addressesOf, PATHS } from './oauth-addresses.ts';
import { OAUTH_SCOPES } from './oauth-scope.ts';
import { destinationOf } from './redirect-uri.ts';

interface Dependencies {
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
export function oauthConsentRoutes({ clients, grants, publicUrl }: Dependencies): FastifyPluginAsyncTypebox {
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
