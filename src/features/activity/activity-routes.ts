import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ActivityPage, ActivityQuery, ActivityStats, ActivityStatsQuery } from '../../contract/activity.ts';
import type { Activity } from './activity.ts';

export function activityRoutes({ activity }: { activity: Activity }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/activity', { schema: { querystring: ActivityQuery, response: { 200: ActivityPage } } }, (request) =>
      activity.list(request.principal, request.query),
    );
    app.get(
      '/v1/activity/stats',
      { schema: { querystring: ActivityStatsQuery, response: { 200: ActivityStats } } },
      (request) => activity.stats(request.principal, request.query),
    );
  };
}
