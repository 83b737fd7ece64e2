import { CLIENT_LINK_PATH } from '../auth/mailed-links.ts';

/** Paths of the authorization server and of the resource that its tokens are for. */
export const PATHS = {
  resource: '/v1/mcp',
  authorize: '/v1/oauth/authorize',
  consent: '/v1/oauth/consent',
  confirm: CLIENT_LINK_PATH,
  token: '/v1/oauth/token',
  register: '/v1/oauth/register',
  revoke: '/v1/oauth/revoke',
  resourceMetadata: '/.well-known/oauth-protected-resource',
  serverMetadata: '/.well-known/oauth-authorization-server',
} as const;

/** The server's name for itself, and the resource that tokens are for: their only audience. */
export interface Addresses {
  issuer: string;
  resource: string;
}

/** Returns the addresses of a daemon by its public URL. */
export function addressesOf(publicUrl: string): Addresses {
  return { issuer: publicUrl, resource: publicUrl + PATHS.resource };
}

/** Returns the challenge parameters of a 401, after the scheme (RFC 9728, section 5.1). */
export function challengeOf(publicUrl: string): string {
  return `, resource_metadata="${publicUrl}${PATHS.resourceMetadata}${PATHS.resource}", scope="memory"`;
}
