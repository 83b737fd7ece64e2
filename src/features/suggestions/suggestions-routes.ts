import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IdParams } from '../../contract/common.ts';
import {
  SuggestionSettings as SuggestionSettingsAnswer,
  SuggestionSettingsChange,
} from '../../contract/suggestion-settings.ts';
import {
  Acceptance,
  AddedSuggestions,
  DecidedSuggestions,
  NewSuggestions,
  Suggestion,
  SuggestionDecisions,
  SuggestionPage,
  SuggestionsQuery,
} from '../../contract/suggestions.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce, sendWithEtag } from '../idempotency/idempotency-routes.ts';
import type { SuggestionSettings } from './suggestion-settings.ts';
import { etagOfSuggestion, type Suggestions } from './suggestions.ts';

const response = { 200: Suggestion };

export function suggestionsRoutes({
  suggestions,
  settings,
  idempotency,
}: {
  suggestions: Suggestions;
  settings: SuggestionSettings;
  idempotency: Idempotency;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/suggestions',
      { schema: { querystring: SuggestionsQuery, response: { 200: SuggestionPage } } },
      (request) => suggestions.list(request.principal, request.query),
    );
    app.post(
      '/v1/suggestions',
      { schema: { body: NewSuggestions, response: { 201: AddedSuggestions } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          suggestions.suggestOnce(request.principal, request.body.suggestions, claim),
        ),
    );
    app.post(
      '/v1/suggestions/decide',
      { schema: { body: SuggestionDecisions, response: { 200: DecidedSuggestions } } },
      (request, reply) =>
        createOnce(idempotency, request, reply, (claim) =>
          suggestions.decideOnce(request.principal, request.body.decisions, claim),
        ),
    );
    app.get('/v1/suggestions/:id', { schema: { params: IdParams, response } }, async (request, reply) => {
      const suggestion = await suggestions.get(request.principal, request.params.id);
      return sendWithEtag(request, reply, suggestion, etagOfSuggestion(suggestion));
    });
    app.post(
      '/v1/suggestions/:id/accept',
      {
        // The body is optional.
        preValidation: async (request) => {
          if (request.body === undefined) request.body = {};
        },
        schema: { params: IdParams, body: Acceptance, response },
      },
      async (request, reply) => {
        const { principal, params, body, headers } = request;
        const suggestion = await createOnce(idempotency, request, reply, (claim) =>
          suggestions.acceptOnce(principal, params.id, body, { ifMatch: headers['if-match'], claim }),
        );
        return sendWithEtag(request, reply, suggestion, etagOfSuggestion(suggestion));
      },
    );
    app.get(
      '/v1/suggestion-settings',
      { schema: { response: { 200: SuggestionSettingsAnswer } } },
      async (request, reply) => {
        const current = await settings.get(request.principal);
        return sendWithEtag(request, reply, current, contentTagOf(current));
      },
    );
    app.patch(
      '/v1/suggestion-settings',
      { schema: { body: SuggestionSettingsChange, response: { 200: SuggestionSettingsAnswer } } },
      async (request, reply) => {
        const changed = await settings.change(request.principal, request.body, request.headers['if-match']);
        return sendWithEtag(request, reply, changed, contentTagOf(changed));
      },
    );
    for (const [decision, decideOnce] of [
      ['reject', suggestions.rejectOnce],
      ['undo', suggestions.undoOnce],
    ] as const) {
      app.post(
        `/v1/suggestions/:id/${decision}`,
        { schema: { params: IdParams, response } },
        async (request, reply) => {
          const { principal, params, headers } = request;
          const suggestion = await createOnce(idempotency, request, reply, (claim) =>
            decideOnce(principal, params.id, { ifMatch: headers['if-match'], claim }),
          );
          return sendWithEtag(request, reply, suggestion, etagOfSuggestion(suggestion));
        },
      );
    }
  };
}
