import { AppError } from '../../contract/errors.ts';
import type { ModelChoice } from '../../contract/provider-settings.ts';
import type { Provider, ProviderKey } from '../../contract/providers.ts';

/** Small models that follow a schema, the best known first: good enough to extract facts, and cheap. */
const PREFERRED: Record<Provider, readonly RegExp[]> = {
  openai: [/^gpt-5(\.\d)?-mini$/, /^gpt-4\.1-mini$/, /^gpt-4o-mini$/, /^gpt-\d[\w.]*-mini$/],
  anthropic: [/^claude-haiku-/, /^claude-\d[\w-]*-haiku/, /^claude-sonnet-/],
  google: [/^gemini-[\d.]+-flash$/, /^gemini-[\d.]+-flash/],
  mistral: [/^mistral-small-latest$/, /^mistral-small/, /^mistral-medium-latest$/],
  cohere: [/^command-r7b/, /^command-a/, /^command-r/],
  voyage: [],
  openrouter: [/^openai\/gpt-5(\.\d)?-mini$/, /^openai\/gpt-4o-mini$/, /^google\/gemini-[\d.]+-flash$/],
  ollama: [/./],
  'openai-compatible': [/./],
};

/** Matches models that do not generate text. */
const NOT_TEXT_MODELS = /embed|minilm|\bbge\b|rerank|whisper|\btts\b|dall-e|image|moderation|transcribe|audio|clip/i;

/** The default extraction model, or `undefined` if none of the models is known to be suitable. */
export function defaultModel({ provider, models }: Pick<ProviderKey, 'provider' | 'models'>): string | undefined {
  const textModels = models.filter((name) => !NOT_TEXT_MODELS.test(name));
  for (const pattern of PREFERRED[provider]) {
    const found = textModels.find((name) => pattern.test(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the model may come from, in order of precedence; `keys` are newest first. */
export interface ModelSources {
  requested: { provider?: Provider | undefined; model?: string | undefined };
  chosen: ModelChoice | undefined;
  keys: readonly ProviderKey[];
}

/** Chooses the model of a job. Throws `unprocessable`, with what to do, if there is none. */
export function chooseModel({ requested, chosen, keys }: ModelSources): ModelChoice {
  const provider = requested.provider ?? chosen?.provider;
  if (provider === undefined) return modelFromKeys(requested.model, keys);
  const key = keys.find((one) => one.provider === provider);
  if (!key) throw unprocessable(`This account has no key for ${provider}. Add one with svc provider add ${provider}.`);
  const model = requested.model ?? (chosen?.provider === provider ? chosen.model : undefined) ?? defaultModel(key);
  if (model === undefined) throw unprocessable(`Name the model of ${provider} to use.`);
  return { provider, model };
}

function modelFromKeys(model: string | undefined, keys: readonly ProviderKey[]): ModelChoice {
  for (const key of keys) {
    const name = model !== undefined && key.models.includes(model) ? model : model === undefined && defaultModel(key);
    if (name && key.status !== 'refused') return { provider: key.provider, model: name };
  }
  throw unprocessable(
    keys.length === 0
      ? 'This requires a provider key. Add one with svc provider add.'
      : 'None of the provider keys of this account has a model known to be suitable. Name the provider and the model.',
  );
}

function unprocessable(message: string): AppError {
  return new AppError('unprocessable', message);
}
