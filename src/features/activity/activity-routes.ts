import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ActivityPage, ActivityQuery } from '../../contract/activity.ts';
import type { Activity } from './activity.ts';

const tags = ['activity'];

export function activityRoutes({ activity }: { activity: Activity }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/activity',
      {
        schema: {
          summary: 'List requests, newest first',
          tags,
          querystring: ActivityQuery,
          response: { 200: ActivityPage },
        },
      },
      (request) => activity.list(request.principal, request.query),
    );
  };
}
