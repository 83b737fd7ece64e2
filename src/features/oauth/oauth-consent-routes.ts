import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import { strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { pageHeaders } from '../auth/auth-pages.ts';
import { PRIVATE_HEADERS } from '../connections/private-headers.ts';
import type { Principal } from '../keys/keys.ts';
import { readAuthorizationRequest } from './authorization-request.ts';
import type { OAuthClients } from './clients.ts';
import { consentPage } from './consent-page.ts';
import type { Grants } from './grants.ts';
import { addressesOf, PATHS } from './oauth-addresses.ts';
import { isWithin, OAUTH_SCOPES } from './oauth-scope.ts';
import { destinationOf, redirectTo } from './redirect-uri.ts';

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
 * The page that an authorization request opens. It is the same for every request: the browser does not send the cookie of
 * the session along with a link on another site, so the page's script asks for what it shows.
 */
export function oauthPageRoutes(): FastifyPluginAsync {
  const page = consentPage();
  return async (app) => {
    app.get(PATHS.authorize, { schema: { hide: true } }, (_request, reply) => reply.headers(pageHeaders()).send(page));
  };
}

/**
 * What the page asks: about a request, and to answer it. Only the session of a browser may: its requests that change
 * something need the csrf token, and cannot come from another site.
 */
export function oauthConsentRoutes({ clients, grants, publicUrl }: Dependencies): FastifyPluginAsyncTypebox {
  const read = (query: string) => readAuthorizationRequest(query, clients, addressesOf(publicUrl()));
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(PRIVATE_HEADERS);
      sessionIdOf(request.principal);
    });

    const config = { scope: 'account' } as const;
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
      const { redirectUri, state } = request;
      const iss = addressesOf(publicUrl()).issuer;
      if (!body.allow) return { redirectTo: redirectTo(redirectUri, { error: 'access_denied', state, iss }) };
      const { scope = request.scope } = body;
      if (!isWithin(scope, request.scope)) {
        throw new AppError('invalid_request', 'scope must not be wider than what the client asks for.');
      }
      const session = { tenantId: principal.tenantId, sessionId: sessionIdOf(principal), address: ip };
      const code = await grants.allow(session, { ...request, scope });
      return { redirectTo: redirectTo(redirectUri, { code, state, iss }) };
    });
  };
}

/** Throws `forbidden` unless a session calls. */
function sessionIdOf({ credential }: Principal): string {
  if (credential.kind === 'session') return credential.id;
  throw new AppError('forbidden', 'Only a browser that is signed in to the web app can allow clients.');
}
