import type { ModelDay } from '../../../client/client.ts';

/** Adds up the days of each model and purpose, the most tokens first. */
export function sumModels(days: readonly ModelDay[]): Omit<ModelDay, 'day'>[] {
  const sums = new Map<string, Omit<ModelDay, 'day'>>();
  for (const { purpose, provider, model, requests, inputTokens, outputTokens, spend } of days) {
    const key = `${provider}\n${model}\n${purpose}`;
    const before = sums.get(key);
    sums.set(key, {
      purpose,
      provider,
      model,
      requests: requests + (before?.requests ?? 0),
      inputTokens: inputTokens + (before?.inputTokens ?? 0),
      outputTokens: outputTokens + (before?.outputTokens ?? 0),
      spend: spend + (before?.spend ?? 0),
    });
  }
  const tokens = (row: Omit<ModelDay, 'day'>) => row.inputTokens + row.outputTokens;
  return [...sums.values()].sort((a, b) => tokens(b) - tokens(a));
}
