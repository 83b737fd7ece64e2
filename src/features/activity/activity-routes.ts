import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ActivityPage, ActivityQuery, ActivityStats, ActivityStatsQuery } from '../../contract/activity.ts';
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
    app.get(
      '/v1/activity/stats',
      {
        schema: {
          summary: 'Latencies by day, and clients',
          tags,
          querystring: ActivityStatsQuery,
          response: { 200: ActivityStats },
        },
      },
      (request) => activity.stats(request.principal, request.query),
    );
  };
}
