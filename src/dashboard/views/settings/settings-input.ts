import type { ModelChoice, ProviderSettings, ProviderSettingsChange } from '../../../client/client.ts';

/** A provider and what was typed as its model; undefined for the default. */
export type ModelInput = ModelChoice | undefined;

/** The fields of the form, as typed. */
export interface SettingsInput {
  embedding: ModelInput;
  extraction: ModelInput;
  onAppend: boolean;
  dailyTokens: string;
  priceIn: string;
  priceOut: string;
  dailySpend: string;
}

/** Returns the fields for stored settings. */
export function settingsInput({ embedding, extraction }: ProviderSettings): SettingsInput {
  return {
    embedding: embedding ? { provider: embedding.provider, model: embedding.model } : undefined,
    extraction: extraction.model ?? undefined,
    onAppend: extraction.onAppend,
    dailyTokens: textOf(extraction.dailyTokens),
    priceIn: textOf(extraction.pricePerMillion?.input),
    priceOut: textOf(extraction.pricePerMillion?.output),
    dailySpend: textOf(extraction.dailySpend),
  };
}

/** Returns the change that stores the fields. An empty limit is none; one price without the other makes the other 0. */
export function changeOf(input: SettingsInput): ProviderSettingsChange {
  const priceIn = numberOf(input.priceIn);
  const priceOut = numberOf(input.priceOut);
  const hasPrice = priceIn !== null || priceOut !== null;
  return {
    embedding: choiceOf(input.embedding),
    extraction: {
      model: choiceOf(input.extraction),
      onAppend: input.onAppend,
      dailyTokens: numberOf(input.dailyTokens),
      pricePerMillion: hasPrice ? { input: priceIn ?? 0, output: priceOut ?? 0 } : null,
      dailySpend: numberOf(input.dailySpend),
    },
  };
}

function choiceOf(input: ModelInput): ModelChoice | null {
  return input ? { ...input, model: input.model.trim() } : null;
}

function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
