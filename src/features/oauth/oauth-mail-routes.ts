import formbody from '@fastify/formbody';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { cookiesAt, newCookie } from '../../lib/cookies.ts';
import type { Random } from '../../lib/random.ts';
import { mintToken } from '../../lib/secret.ts';
import { pageHeaders } from '../auth/auth-pages.ts';
import { LINK_MINUTES } from '../auth/mailed-links.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import { confirmationPage, consentPage, refusalPage, returnPage, sentPage } from './consent-page.ts';
import type { MailedConsent } from './mailed-consent.ts';
import { PATHS } from './oauth-addresses.ts';
import { OAUTH_SCOPES } from './oauth-scope.ts';
import { destinationOf } from './redirect-uri.ts';

interface Dependencies {
  mailedConsent: MailedConsent;
  limitSignIns: LimitSignIns;
  random: Random;
  publicUrl: () => string;
}

/** Identifies the browser that began: a mailed link works in no other. */
const COOKIE = 'svc_oauth';
const COOKIE_SECONDS = 3600;
const MAX_QUERY = 8000;

const AskForm = Type.Object({ email: Type.String({ minLength: 3, maxLength: 1000 }) }, strict);
/** The token, or a link with it that a person pasted. */
const LinkQuery = Type.Object({ token: Type.String({ maxLength: 1000 }) });
const DecisionForm = Type.Object(
  {
    token: Type.String({ maxLength: 200 }),
    decision: Type.Enum(['allow', 'deny']),
    scope: Type.Optional(Type.Enum([...OAUTH_SCOPES])),
  },
  strict,
);

/**
 * The page that an authorization request opens, and the way to answer it without a session, by a mailed link. The page is
 * the same for every request: the browser does not send the cookie of the session along with a link on another site, so
 * the page's script asks for what it shows.
 */
export function oauthMailRoutes(dependencies: Dependencies): FastifyPluginAsyncTypebox {
  const { mailedConsent, limitSignIns, random, publicUrl } = dependencies;
  const page = consentPage();
  /** Identifies the browser from now on, by the cookie that it has already if possible, so that earlier links work too. */
  const remember = (request: FastifyRequest, reply: FastifyReply) => {
    const value = cookieOf(request, publicUrl()) ?? mintToken(random);
    const cookie = { name: COOKIE, value, path: '/v1/oauth', sameSite: 'Lax', maxAgeSeconds: COOKIE_SECONDS } as const;
    reply.header('Set-Cookie', newCookie(cookie, publicUrl()));
    return value;
  };
  return async (app) => {
    showRefusals(app);
    app.get(PATHS.authorize, { schema: { hide: true } }, async (request, reply) => {
      const refusal = await mailedConsent.check(queryOf(request)).catch((error: unknown) => error);
      const returnTo = returnToOf(refusal);
      // RFC 6749, section 4.1.2.1: the client learns of an error, unless it or its redirect URI is the error.
      if (returnTo !== undefined) return reply.headers(pageHeaders()).redirect(returnTo, 302);
      if (refusal !== undefined) throw refusal;
      remember(request, reply);
      return sendPage(reply, page);
    });

    app.get(PATHS.confirm, { schema: { hide: true, querystring: LinkQuery } }, async (request, reply) => {
      await limitSignIns(request.ip);
      const token = tokenIn(request.query.token);
      const { email, request: asked } = await mailedConsent.inspect({ token, cookie: cookieOf(request, publicUrl()) });
      const { name: client, verifiedHost } = asked.client;
      const destination = destinationOf(asked.redirectUri);
      const facts = { email, client, verifiedHost, destination, scope: asked.scope };
      return sendPage(reply, confirmationPage({ token, action: PATHS.confirm }, facts));
    });

    await app.register(async (forms: typeof app) => {
      await acceptForms(forms);
      forms.post(PATHS.authorize, { schema: { hide: true, body: AskForm } }, async (request, reply) => {
        requireOwnForm(request, publicUrl());
        await limitSignIns(request.ip);
        const { email } = request.body;
        await mailedConsent.ask({ email, cookie: remember(request, reply), query: queryOf(request) });
        return sendPage(reply, sentPage(email, { minutes: LINK_MINUTES, action: PATHS.confirm }));
      });

      forms.post(PATHS.confirm, { schema: { hide: true, body: DecisionForm } }, async (request, reply) => {
        requireOwnForm(request, publicUrl());
        await limitSignIns(request.ip);
        const { token, decision, scope } = request.body;
        const isAllowed = decision === 'allow';
        const link = { token, cookie: cookieOf(request, publicUrl()) };
        const address = await mailedConsent.decide(link, { allow: isAllowed, scope, address: request.ip });
        // Do not redirect: browsers apply the page's form-action to redirects, and the client may be any site.
        return sendPage(reply.header('Refresh', `0; url=${address}`), returnPage({ isAllowed, address }));
      });
    });
  };
}

/**
 * Refuses forms of other sites. Browsers do not send a `SameSite=Lax` cookie with them, and name their origin in
 * `Sec-Fetch-Site`, which is missing over plain http.
 */
function requireOwnForm(request: FastifyRequest, publicUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  if ((site === undefined || site === 'same-origin') && cookieOf(request, publicUrl) !== undefined) return;
  const message =
    'This form came from another site, or this browser does not accept cookies. Start again in the program that sent you here.';
  throw new AppError('forbidden', message);
}

function cookieOf({ headers }: FastifyRequest, publicUrl: string): string | undefined {
  return cookiesAt(headers.cookie, COOKIE, publicUrl).find((value) => /^[\w-]{43}$/.test(value));
}

/** The query as it was sent. */
function queryOf({ url }: FastifyRequest): string {
  const query = /\?(.*)/s.exec(url)?.[1] ?? '';
  if (query.length <= MAX_QUERY) return query;
  throw new AppError('invalid_request', `The request must have at most ${MAX_QUERY} characters.`);
}

function tokenIn(text: string): string {
  return /[?&]token=([\w-]+)/.exec(text)?.[1] ?? text.trim();
}

function sendPage(reply: FastifyReply, page: string) {
  return reply.headers(pageHeaders()).type('text/html; charset=utf-8').send(page);
}

/** Accepts forms, and no other bodies, in the routes of a scope. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody);
  app.setErrorHandler((error) => {
    const { code } = error as { code?: string };
    if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
    throw new AppError('unsupported_media_type', 'Send the body as application/x-www-form-urlencoded.');
  });
}

/** Shows refusals as a page to browsers and as a problem document to programs. */
function showRefusals(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    reply.headers(pageHeaders()).removeHeader('content-type');
    const wantsPage = /text\/html/.test(request.headers.accept ?? '');
    if (!(wantsPage && error instanceof AppError && error.status < 500)) throw error;
    const { retryAfterSeconds } = error.options;
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
    return sendPage(reply.code(error.status), refusalPage({ message: error.message, returnTo: returnToOf(error) }));
  });
}

/** Where the client learns of an error: see `readAuthorizationRequest`. */
function returnToOf(error: unknown): string | undefined {
  return error instanceof AppError ? (error.options.extra as { returnTo?: string } | undefined)?.returnTo : undefined;
}
