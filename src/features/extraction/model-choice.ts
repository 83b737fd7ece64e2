import { AppError } from '../../contract/errors.ts';
import type { ModelChoice } from '../../contract/provider-settings.ts';
import type { Provider, ProviderKey } from '../../contract/providers.ts';

/** Small models that keep to a schema, the better known first: enough to draw facts, and cheap. */
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

/** Names of models that write no text. */
const NOT_TEXT_MODELS = /embed|minilm|\bbge\b|rerank|whisper|\btts\b|dall-e|image|moderation|transcribe|audio|clip/i;

/** The model that draws memories where nobody chose one; `undefined` where none of those is known to do. */
export function defaultModel({ provider, models }: Pick<ProviderKey, 'provider' | 'models'>): string | undefined {
  const textModels = models.filter((name) => !NOT_TEXT_MODELS.test(name));
  for (const pattern of PREFERRED[provider]) {
    const found = textModels.find((name) => pattern.test(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What was asked for, chosen in the settings, and at hand (newest key first). */
export interface ModelSources {
  requested: { provider?: Provider | undefined; model?: string | undefined };
  chosen: ModelChoice | undefined;
  keys: readonly ProviderKey[];
}

/** Whose model draws memories. Throws `unprocessable`, saying what to do, where there is none. */
export function chooseModel({ requested, chosen, keys }: ModelSources): ModelChoice {
  const provider = requested.provider ?? chosen?.provider;
  if (provider === undefined) return modelFromKeys(requested.model, keys);
  const key = keys.find((one) => one.provider === provider);
  if (!key)
    throw unprocessable(`There is no key for ${provider} in this account: svc provider add ${provider} keeps one.`);
  const model = requested.model ?? (chosen?.provider === provider ? chosen.model : undefined) ?? defaultModel(key);
  if (model === undefined) throw unprocessable(`Name the model of ${provider} that is to draw memories.`);
  return { provider, model };
}

function modelFromKeys(model: string | undefined, keys: readonly ProviderKey[]): ModelChoice {
  for (const key of keys) {
    const name = model !== undefined && key.models.includes(model) ? model : model === undefined && defaultModel(key);
    if (name && key.status !== 'refused') return { provider: key.provider, model: name };
  }
  throw unprocessable(
    keys.length === 0
      ? 'Drawing memories takes a model, and so a provider key of your own: svc provider add keeps one.'
      : 'None of the provider keys of this account is known to have a model for this: name provider and model.',
  );
}

function unprocessable(message: string): AppError {
  return new AppError('unprocessable', message);
}
