import type { FastifyRequest } from 'fastify';
import { WEB_APP_CLIENT } from '../contract/web-app-client.ts';
import { clientOfUserAgent } from '../features/activity/client-name.ts';
import type { Principal } from '../features/keys/keys.ts';

/**
 * Names the client of a request: the web app, or the product in its User-Agent. Only the web app has a session; its
 * requests with a key are marked `Sec-Fetch-Site: same-origin` by the browser.
 */
export function clientOfRequest({ headers }: FastifyRequest, { credential }: Principal): string {
  if (credential.kind === 'session' || headers['sec-fetch-site'] === 'same-origin') return WEB_APP_CLIENT;
  return clientOfUserAgent(headers['user-agent']);
}
