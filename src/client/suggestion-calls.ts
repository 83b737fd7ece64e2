import type { SuggestionSettings, SuggestionSettingsChange } from '../contract/suggestion-settings.ts';
import type {
  Acceptance,
  AddedSuggestion,
  DecidedSuggestions,
  NewSuggestion,
  Suggestion,
  SuggestionDecision,
  SuggestionsQuery,
} from '../contract/suggestions.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions, CreateOptions, DecideOptions } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import type { Transport } from './transport.ts';

/** Calls for suggested changes of memories. */
export function suggestionCalls(transport: Transport) {
  const { send, create } = transport;
  const { list, get } = resourceCalls<Suggestion, never, SuggestionsQuery>(transport, '/v1/suggestions');
  const path = (id: string, decision: string) => `/v1/suggestions/${encodeURIComponent(id)}/${decision}`;
  return {
    list,
    get,
    /** Suggests 1 to 100 changes, all or none, and returns them in the order sent. */
    createMany: (suggestions: NewSuggestion[], options?: CreateOptions): ApiPromise<{ data: AddedSuggestion[] }> =>
      create('/v1/suggestions', { suggestions }, options),
    accept: (id: string, acceptance: Acceptance = {}, options?: DecideOptions): ApiPromise<Suggestion> =>
      create(path(id, 'accept'), acceptance, options),
    reject: (id: string, options?: DecideOptions): ApiPromise<Suggestion> =>
      create(path(id, 'reject'), undefined, options),
    /** Opens a decided suggestion again, and restores what accepting it changed. */
    undo: (id: string, options?: DecideOptions): ApiPromise<Suggestion> => create(path(id, 'undo'), undefined, options),
    /** Decides up to 100, each separately. */
    decide: (decisions: SuggestionDecision[], options?: CreateOptions): ApiPromise<DecidedSuggestions> =>
      create('/v1/suggestions/decide', { decisions }, options),
    settings: {
      /** What happens with suggestions of each kind. */
      get: (options?: CallOptions): ApiPromise<SuggestionSettings> =>
        send('GET', '/v1/suggestion-settings', undefined, options),
      /** Changes the kinds that are given. */
      update: (change: SuggestionSettingsChange, options?: ChangeOptions): ApiPromise<SuggestionSettings> =>
        send('PATCH', '/v1/suggestion-settings', change, options),
    },
  };
}
