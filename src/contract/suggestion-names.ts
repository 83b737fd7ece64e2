/** What a suggestion would do. Free of schemas, because the web app reads it too. */
export const SUGGESTION_KINDS = ['add', 'merge', 'supersede', 'contradiction', 'expire', 'split'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

/** What happens with suggestions of a kind: they wait for a person, are accepted from a confidence on, or are not made. */
export const SUGGESTION_MODES = ['review', 'automatic', 'off'] as const;
export type SuggestionMode = (typeof SUGGESTION_MODES)[number];
/** Kinds that svc may decide automatically, because its rules find them and nobody has to choose. */
export const AUTOMATIC_KINDS = ['add', 'merge', 'supersede'] as const;
export type AutomaticKind = (typeof AUTOMATIC_KINDS)[number];

/** Whether svc may decide suggestions of a kind automatically. */
export function isAutomaticKind(kind: SuggestionKind): kind is AutomaticKind {
  return AUTOMATIC_KINDS.some((one) => one === kind);
}

/** `outdated`: a memory that the suggestion is about has changed, or nobody decided for 90 days. */
export const SUGGESTION_STATES = ['open', 'accepted', 'rejected', 'outdated'] as const;
export type SuggestionState = (typeof SUGGESTION_STATES)[number];

/** Who suggests: svc by its rules, a model by a provider key, or an assistant. */
export const SUGGESTERS = ['rules', 'provider', 'assistant'] as const;
export type Suggester = (typeof SUGGESTERS)[number];
