import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Account, Usage as UsageAnswer, UsageQuery } from '../../contract/account.ts';
import { NoContent } from '../../contract/common.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { Keys } from '../keys/keys.ts';
import type { Learning } from '../learning/learning.ts';
import type { Usage } from '../limits/usage.ts';
import type { Spending } from '../providers/spending.ts';
import { type Accounts, accountTagOf } from './accounts.ts';

export function accountsRoutes({
  accounts,
  keys,
  usage,
  spending,
  learning,
}: {
  accounts: Accounts;
  keys: Keys;
  usage: Usage;
  spending: Spending;
  learning: Learning;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/account', { schema: { response: { 200: Account } } }, async (request, reply) => {
      const account = await accounts.view(request.principal);
      return sendWithEtag(request, reply, account, accountTagOf(account));
    });
    app.delete('/v1/account', { schema: { response: { 204: NoContent } } }, async (request, reply) => {
      await accounts.erase(request.principal.tenantId, request.headers['if-match']);
      return reply.code(204).send(null);
    });
    app.get(
      '/v1/usage',
      { schema: { querystring: UsageQuery, response: { 200: UsageAnswer } } },
      async ({ principal, query: { days = 30 } }) => {
        const [used, models, learned] = await Promise.all([
          usage.days(principal, days),
          spending.days(principal, days),
          learning.curve(principal, days),
        ]);
        return { ...used, models, learning: learned };
      },
    );
    app.delete('/v1/auth/key', { schema: { response: { 204: NoContent } } }, async (request, reply) => {
      await keys.revoke(request.principal);
      return reply.code(204).send(null);
    });
  };
}
