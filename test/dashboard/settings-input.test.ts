import { describe, expect, test } from 'vitest';
import type { ModelDay, ProviderSettings } from '../../src/client/client.ts';
import { sumModels } from '../../src/dashboard/views/settings/model-usage.ts';
import { sectionNamed } from '../../src/dashboard/views/settings/sections.ts';
import { changeOf, settingsInput } from '../../src/dashboard/views/settings/settings-input.ts';

const NONE = { requests: 0, inputTokens: 0, outputTokens: 0, spend: 0 };
const STORED: ProviderSettings = {
  embedding: { provider: 'openai', model: 'small', state: 'serving', waiting: 0, fault: null },
  extraction: {
    model: { provider: 'openai', model: 'mini' },
    onAppend: true,
    dailyTokens: 5000,
    pricePerMillion: { input: 0.5, output: 0 },
    dailySpend: null,
  },
  tidySchedule: 'off',
  today: { resetsAt: '2026-11-23T00:00:00.000Z', embedding: NONE, extraction: NONE },
};

describe('the settings form', () => {
  test('sends back what is stored when nothing was changed', () => {
    expect(changeOf(settingsInput(STORED))).toEqual({
      embedding: { provider: 'openai', model: 'small' },
      extraction: STORED.extraction,
    });
  });

  test('sends null for what was emptied', () => {
    const input = { ...settingsInput(STORED), embedding: undefined, dailyTokens: ' ', priceIn: '', priceOut: '' };
    const change = changeOf(input);
    expect(change.embedding).toBeNull();
    expect(change.extraction).toMatchObject({ dailyTokens: null, pricePerMillion: null });
  });

  test('takes a missing price as free when the other is given', () => {
    const change = changeOf({ ...settingsInput(STORED), priceIn: '', priceOut: '2' });
    expect(change.extraction?.pricePerMillion).toEqual({ input: 0, output: 2 });
  });
});

test('adds up model calls over days by model and purpose', () => {
  const day = (purpose: ModelDay['purpose'], inputTokens: number): ModelDay => ({
    day: '2026-11-20',
    purpose,
    provider: 'openai',
    model: 'mini',
    requests: 1,
    inputTokens,
    outputTokens: 1,
    spend: 0.5,
  });
  expect(sumModels([day('extraction', 1), day('embedding', 100), day('extraction', 2)])).toMatchObject([
    { purpose: 'embedding', requests: 1, inputTokens: 100 },
    { purpose: 'extraction', requests: 2, inputTokens: 3, outputTokens: 2, spend: 1 },
  ]);
});

test('shows the plan for a section that does not exist', () => {
  expect([sectionNamed(null), sectionNamed('nothing'), sectionNamed('import')]).toEqual(['plan', 'plan', 'import']);
});
