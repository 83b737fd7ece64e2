import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ProviderConnection } from './provider-connection.ts';
import { ProviderFault } from './provider-fault.ts';

/** The AI SDK's model of a provider; each package is loaded by the first who needs it. */
export async function languageModel(
  { provider, key, base }: ProviderConnection,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV3> {
  const settings = { apiKey: key, baseURL: base, fetch };
  switch (provider) {
    case 'openai':
      // Not the Responses API: what stands at another base URL seldom speaks it.
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
      throw new ProviderFault('input', 'This provider has models that embed only. Choose another that writes.');
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
