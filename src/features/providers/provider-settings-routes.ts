import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ProviderSettings, ProviderSettingsChange } from '../../contract/provider-settings.ts';
import { sendWithEtag } from '../idempotency/idempotency-routes.ts';
import { type ProviderSettingsService, settingsTagOf } from './provider-settings.ts';

export function providerSettingsRoutes({ providerSettings }: { providerSettings: ProviderSettingsService }) {
  const routes: FastifyPluginAsyncTypebox = async (app) => {
    app.get('/v1/provider-settings', { schema: { response: { 200: ProviderSettings } } }, async (request, reply) => {
      const settings = await providerSettings.show(request.principal);
      return sendWithEtag(request, reply, settings, settingsTagOf(settings));
    });
    app.patch(
      '/v1/provider-settings',
      { schema: { body: ProviderSettingsChange, response: { 200: ProviderSettings } } },
      async (request, reply) => {
        const ifMatch = request.headers['if-match'];
        const settings = await providerSettings.change(request.principal, request.body, ifMatch);
        return sendWithEtag(request, reply, settings, settingsTagOf(settings));
      },
    );
  };
  return routes;
}
