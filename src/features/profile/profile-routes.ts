import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ProfileQuery, UserProfile } from '../../contract/profile.ts';
import type { Principal } from '../keys/keys.ts';
import type { Profile } from './profile.ts';

interface Parts {
  profile: Profile;
  memberships: {
    /** The caller as a member of each space that it reads. Throws `not_found`. */
    enterAll(principal: Principal, spaces: readonly string[]): Promise<Principal[]>;
  };
}

export function profileRoutes({ profile, memberships }: Parts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/profile',
      { schema: { querystring: ProfileQuery, response: { 200: UserProfile } } },
      async ({ principal, query: { spaces, ...query } }) =>
        spaces
          ? profile.ofSeveral(await memberships.enterAll(principal, spaces), query)
          : profile.get(principal, query),
    );
  };
}
