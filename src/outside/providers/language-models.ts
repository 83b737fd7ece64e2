import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ProviderConnection } from './provider-connection.ts';
import { ProviderFault } from './provider-fault.ts';

/** Creates the AI SDK's model for a provider; each package is loaded on first use. */
export async function languageModel(
  { provider, key, base }: ProviderConnection,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV3> {
  const settings = { apiKey: key, baseURL: base, fetch };
  switch (provider) {
    case 'openai':
      // Not the Responses API: servers at custom base URLs rarely support it.
      return (await import('@ai-sdk/openai')).createOpenAI(settings).chat(model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings)(model);
    case 'mistral':
      return (await import('@ai-sdk/mistral')).createMistral(settings)(model);
    case 'cohere':
      return (await import('@ai-sdk/cohere')).createCohere(settings)(model);
    case 'voyage':
      throw new ProviderFault('input', 'This provider only has embedding models. Choose another provider.');
    default:
      return (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({
        ...settings,
        baseURL: provider === 'ollama' ? `${base}/v1` : base,
        name: provider,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model);
  }
}
