import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import type { Random } from '../../lib/random.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import type { BearerTokens } from '../keys/keys.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { MailedConsent } from './mailed-consent.ts';
import type { OAuth } from './oauth.ts';
import { challengeOf } from './oauth-addresses.ts';
import { oauthConsentRoutes } from './oauth-consent-routes.ts';
import { oauthMailRoutes } from './oauth-mail-routes.ts';
import { oauthMetadataRoutes } from './oauth-metadata-routes.ts';
import { oauthTokenRoutes } from './oauth-token-routes.ts';

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
