import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ProfileQuery, UserProfile } from '../../contract/profile.ts';
import type { Profile } from './profile.ts';

export function profileRoutes({ profile }: { profile: Profile }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/profile',
      {
        schema: {
          summary: 'Get a digest of what is remembered about a user',
          tags: ['users'],
          querystring: ProfileQuery,
          response: { 200: UserProfile },
        },
      },
      (request) => profile.get(request.principal, request.query),
    );
  };
}
