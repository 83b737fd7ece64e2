import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { BoundedListQuery, NoContent } from '../../contract/common.ts';
import {
  NewProviderKey,
  ProviderKey,
  ProviderKeys as ProviderKeyList,
  ProviderParams,
} from '../../contract/providers.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { ProviderKeys } from './provider-keys.ts';

export function providerKeysRoutes({ providerKeys }: { providerKeys: ProviderKeys }): FastifyPluginAsyncTypebox {
  return async (app) => {
    const params = ProviderParams;
    app.get(
      '/v1/provider-keys',
      { schema: { querystring: BoundedListQuery, response: { 200: ProviderKeyList } } },
      (request) => providerKeys.list(request.principal, request.query),
    );
    app.put(
      '/v1/provider-keys/:provider',
      {
        schema: {
          description: 'Replaces the previous key. Responses show only its last four characters.',
          params,
          body: NewProviderKey,
          response: { 200: ProviderKey },
        },
      },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const key = await providerKeys.put(principal, params.provider, body, headers['if-match']);
        return sendWithEtag(request, reply, key, contentTagOf(key));
      },
    );
    app.get(
      '/v1/provider-keys/:provider',
      { schema: { params, response: { 200: ProviderKey } } },
      async (request, reply) => {
        const key = await providerKeys.get(request.principal, request.params.provider);
        return sendWithEtag(request, reply, key, contentTagOf(key));
      },
    );
    app.post(
      '/v1/provider-keys/:provider/validate',
      { schema: { params, response: { 200: ProviderKey } } },
      async (request, reply) => {
        const key = await providerKeys.validate(request.principal, request.params.provider);
        return sendWithEtag(request, reply, key, contentTagOf(key));
      },
    );
    app.delete(
      '/v1/provider-keys/:provider',
      { schema: { params, response: { 204: NoContent } } },
      async (request, reply) => {
        await providerKeys.remove(request.principal, request.params.provider, request.headers['if-match']);
        return reply.code(204).send(null);
      },
    );
  };
}
