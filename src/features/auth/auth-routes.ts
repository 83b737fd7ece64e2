import formbody from '@fastify/formbody';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TokenAnswer } from '../../contract/account.ts';
import {
  CallbackForm,
  CallbackQuery,
  MagicLinkAnswer,
  MagicLinkRequest,
  Page,
  Redirect,
  TokenRequest,
} from '../../contract/auth.ts';
import { AppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { cookiesAt, newCookie } from '../../lib/cookies.ts';
import { hashSecret } from '../../lib/secret.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { clientNameOf } from '../connections/client-name.ts';
import { sessionCookie } from '../connections/session-cookie.ts';
import type { Keys } from '../keys/keys.ts';
import { allowedPage, allowPage, codePage, confirmPage, failurePage, pageHeaders } from './auth-pages.ts';
import type { DeviceSignIn } from './device-sign-in.ts';
import { LINK_MINUTES } from './mailed-links.ts';
import type { Redeemed, SignIn } from './sign-in.ts';
import type { LimitSignIns } from './sign-in-limit.ts';

interface Dependencies {
  signIn: SignIn;
  deviceSignIn: DeviceSignIn;
  accounts: Accounts;
  keys: Keys;
  limitSignIns: LimitSignIns;
  publicUrl: () => string;
}

/** Identifies the browser that requested the link. */
const REQUEST_COOKIE = 'svc_signin';
/** Identifies the browser that was shown the confirmation page. */
const CONFIRM_COOKIE = 'svc_confirm';
const FORM = 'application/x-www-form-urlencoded';
/** Public sign-in routes. */
export function authRoutes({
  signIn,
  deviceSignIn,
  accounts,
  keys,
  limitSignIns,
  publicUrl,
}: Dependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/auth/magic-link',
      { schema: { security: [], body: MagicLinkRequest, response: { 202: MagicLinkAnswer } } },
      async (request, reply) => {
        await limitSignIns(request.ip);
        const { expiresAtMs, cookie } = await signIn.request(request.body);
        if (!request.body.login) reply.header('Set-Cookie', setCookie(REQUEST_COOKIE, cookie, 'Lax', publicUrl()));
        return reply.code(202).send({ status: 'sent' as const, expiresAt: toTimestamp(expiresAtMs) });
      },
    );

    app.post(
      '/v1/auth/token',
      { schema: { security: [], body: TokenRequest, response: { 200: TokenAnswer } } },
      async (request) => {
        await limitSignIns(request.ip);
        const { apiKey } = await signIn.redeemCode(request.body.code, request.body.codeVerifier);
        const principal = await keys.authenticate(apiKey);
        if (!principal) throw new AppError('gone', 'Another sign-in has already replaced this key. Sign in again.');
        return { apiKey, account: await accounts.view(principal) };
      },
    );

    renderErrorPages(app);
    await app.register(callbackRoutes({ signIn, deviceSignIn, publicUrl }));
  };
}

/**
 * The mailed link and its confirmation form. Forms are accepted only here: any site can make a browser submit one, and a
 * cross-site form that requested a link would set the cookie that marks this browser as the requester.
 */
function callbackRoutes({
  signIn,
  deviceSignIn,
  publicUrl,
}: Pick<Dependencies, 'signIn' | 'deviceSignIn' | 'publicUrl'>): FastifyPluginAsyncTypebox {
  const redeem = ({ headers, ip }: FastifyRequest, token: string) =>
    signIn.redeem(token, { client: clientNameOf(headers['user-agent']), address: ip });
  return async (app) => {
    await app.register(formbody);
    app.get(
      '/v1/auth/callback',
      { schema: { security: [], querystring: CallbackQuery, response: { 200: Page, 303: Redirect } } },
      async (request, reply) => {
        const token = request.query.token ?? '';
        const link = await signIn.inspect(token, cookieOf(request, REQUEST_COOKIE, publicUrl()));
        // A prefetch or a HEAD request is not a click.
        const purpose = `${request.headers['sec-purpose']} ${request.headers.purpose}`;
        const clicked = request.method === 'GET' && !/prefetch|preview/.test(purpose);
        if (link.sameBrowser && clicked) return answerRedeemed(reply, await redeem(request, token), publicUrl());
        reply.header('Set-Cookie', setCookie(CONFIRM_COOKIE, hashSecret(token), 'Strict', publicUrl()));
        const { email, device } = link;
        const page = link.isForDevice
          ? allowPage({ token, email, device: device! })
          : confirmPage({ token, email, device });
        return sendPage(reply, 200, page);
      },
    );

    app.post(
      '/v1/auth/callback',
      { schema: { security: [], consumes: [FORM], body: CallbackForm, response: { 200: Page, 303: Redirect } } },
      async (request, reply) => {
        const { token, code } = request.body;
        refuseCrossSite(request, token, publicUrl());
        if (code !== undefined) return sendPage(reply, 200, allowedPage(await deviceSignIn.confirm(token, code)));
        return answerRedeemed(reply, await redeem(request, token), publicUrl());
      },
    );
  };
}

/** Shows errors on the callback route as a page to browsers and as a problem document to programs. */
function renderErrorPages(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const wantsPage =
      request.routeOptions.url === '/v1/auth/callback' && /text\/html/.test(request.headers.accept ?? '');
    if (!(wantsPage && error instanceof AppError && error.status < 500)) throw error;
    const { retryAfterSeconds } = error.options;
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
    const isForDevice = (request.body as { code?: unknown } | null | undefined)?.code !== undefined;
    return sendPage(reply, error.status, failurePage({ message: error.message, isForDevice }));
  });
}

function answerRedeemed(reply: FastifyReply, redeemed: Redeemed, publicUrl: string) {
  if (redeemed.kind === 'browser') {
    reply
      .headers(pageHeaders({ loopbackPort: undefined }))
      .header('Set-Cookie', setCookie(REQUEST_COOKIE, '', 'Lax', publicUrl));
    reply.header('Set-Cookie', sessionCookie(redeemed.session, publicUrl));
    return reply.redirect(`${publicUrl}/dashboard#key=${redeemed.apiKey}`, 303);
  }
  const { code, device, loopback } = redeemed;
  const query = loopback && new URLSearchParams({ code, state: loopback.state });
  const loopbackUrl = loopback && `http://127.0.0.1:${loopback.port}/callback?${query}`;
  return sendPage(reply, 200, codePage({ code, device, loopbackUrl }), loopback?.port);
}

function sendPage(reply: FastifyReply, status: number, html: string, loopbackPort?: number) {
  return reply.code(status).headers(pageHeaders({ loopbackPort })).type('text/html; charset=utf-8').send(html);
}

/**
 * Rejects cross-site form submissions. Browsers report the origin in `Sec-Fetch-Site` (Fetch Metadata), but not over
 * plain http to another machine. There our page, which sends no referrer, has the `Origin` "null" like any such page, so
 * the `SameSite=Strict` cookie of the confirmation page decides.
 */
function refuseCrossSite(request: FastifyRequest, token: string, publicUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const sameSite =
    site !== undefined
      ? site === 'same-origin'
      : origin === undefined ||
        origin === new URL(publicUrl).origin ||
        cookieOf(request, CONFIRM_COOKIE, publicUrl) === hashSecret(token);
  if (!sameSite)
    throw new AppError('forbidden', 'This form was submitted by another site. Open the link in your email again.');
}

function setCookie(name: string, value: string, sameSite: 'Lax' | 'Strict', publicUrl: string): string {
  const maxAgeSeconds = value === '' ? 0 : LINK_MINUTES * 60;
  return newCookie({ name, value, path: '/v1/auth', sameSite, maxAgeSeconds }, publicUrl);
}

function cookieOf({ headers }: FastifyRequest, name: string, publicUrl: string): string | undefined {
  return cookiesAt(headers.cookie, name, publicUrl)[0];
}
