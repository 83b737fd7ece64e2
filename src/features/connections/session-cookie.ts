import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import { cookiesNamed, isHttps } from '../../lib/cookies.ts';
import { csrfTokenOf, equalSecrets } from '../../lib/secret.ts';
import type { NewSession } from './sessions.ts';

/** The parts of a request that tell who sent it. */
interface BrowserRequest {
  method: string;
  headers: IncomingHttpHeaders;
}

/** The header that carries the session's token against cross-site requests. */
const CSRF_HEADER = 'x-svc-csrf';
/** Methods that change nothing. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Browsers accept a `__Host-` cookie only over https, for this host alone and for all of its paths. */
function cookieName(publicUrl: string): string {
  return isHttps(publicUrl) ? '__Host-svc' : 'svc_session';
}

/** Returns the `Set-Cookie` that hands a new session to the browser. */
export function sessionCookie({ token, createdAt, expiresAt }: NewSession, publicUrl: string): string {
  return cookieOf(publicUrl, token, Math.ceil((expiresAt - createdAt) / 1000));
}

/** Returns the `Set-Cookie` that removes the session from the browser. */
export function clearedSessionCookie(publicUrl: string): string {
  return cookieOf(publicUrl, '', 0);
}

function cookieOf(publicUrl: string, token: string, maxAgeSeconds: number): string {
  const secure = isHttps(publicUrl) ? '; Secure' : '';
  return `${cookieName(publicUrl)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}

/** Returns the tokens of all session cookies of a request, acceptable or not. */
export function sessionTokensIn({ headers }: Pick<BrowserRequest, 'headers'>, publicUrl: string): string[] {
  return cookiesNamed(headers.cookie, cookieName(publicUrl));
}

/**
 * Returns the token of a request's session cookie, if it has one. Throws `forbidden` if another site may have made the
 * browser send it, and `unauthenticated` if there are several: a page on another port or subdomain may have added one.
 */
export function sessionTokenOf(request: BrowserRequest, publicUrl: string): string | undefined {
  const [token, ...others] = sessionTokensIn(request, publicUrl);
  if (token === undefined) return undefined;
  if (others.length > 0) {
    const message = 'The request has several session cookies. Delete the cookies of this site and sign in again.';
    throw new AppError('unauthenticated', message);
  }
  requireSameOrigin(request, publicUrl);
  requireCsrfToken(request, token, '/v1/session');
  return token;
}

/**
 * Throws `forbidden` for a request that changes something without the csrf token, which `source` tells, of its session, and
 * `unauthenticated` for one that reads with that of another: its page shows the account that was signed in before.
 */
export function requireCsrfToken({ method, headers }: BrowserRequest, token: string, source: string): void {
  const sent = headers[CSRF_HEADER];
  if (typeof sent === 'string' && equalSecrets(sent, csrfTokenOf(token))) return;
  if (SAFE_METHODS.has(method)) {
    if (sent === undefined) return;
    throw new AppError('unauthenticated', 'This browser has signed in anew since: load the page again.');
  }
  const message = `Requests of a session that change something need its csrf token in X-Svc-Csrf: see GET ${source}.`;
  throw new AppError('forbidden', message);
}

/**
 * Throws `forbidden` for a request that a browser sent for a page of another origin. A page of an allowed CORS origin is
 * one too. Over http, the daemon may have several names: there the request's own counts.
 */
export function requireSameOrigin({ headers }: BrowserRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const own = [new URL(publicUrl).origin, ...(isHttps(publicUrl) ? [] : [`http://${headers.host}`])];
  if ((site === undefined || site === 'same-origin') && (origin === undefined || own.includes(origin))) return;
  const message = `Sessions are only for the web app at ${own[0]}. Other pages need an API key. If this is the web app, its address must be SVC_PUBLIC_URL.`;
  throw new AppError('forbidden', message);
}
