import type { ModelChoice, ProviderSettingsChange, UsedTokens } from '../contract/provider-settings.ts';
import { parseTimestamp } from '../lib/clock.ts';
import type { Provider, ProviderKey, ProviderSettings } from './api.ts';
import { byId, element } from './dom.ts';
import { formatCount, formatNumber, formatUpcoming } from './format.ts';

type Purpose = 'embedding' | 'extraction';
const DEFAULT_LABELS: Record<Purpose, string> = {
  embedding: 'Server default, if any',
  extraction: 'Automatic (small model)',
};

const field = (id: string) => byId<HTMLInputElement>(id);
const providerOf = (purpose: Purpose) => byId<HTMLSelectElement>(`${purpose}-provider`);

/** The form for models, automatic extraction and spending limits. Created once per page. */
export interface SettingsForm {
  show(settings: ProviderSettings, keys: readonly ProviderKey[]): void;
  /** Removes all account data from the form. */
  clear(): void;
}

export function createSettingsForm(onChange: (change: ProviderSettingsChange) => Promise<void>): SettingsForm {
  let keys: readonly ProviderKey[] = [];
  const form = byId<HTMLFormElement>('settings-form');
  const submit = form.querySelector('button');
  for (const purpose of ['embedding', 'extraction'] as const) {
    providerOf(purpose).addEventListener('change', () => {
      field(`${purpose}-model`).value = '';
      offerModels(purpose, keys);
    });
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit) submit.disabled = true;
    await onChange(readForm());
    if (submit) submit.disabled = false;
  });
  return {
    show(settings, newKeys) {
      keys = newKeys;
      const { embedding, extraction } = settings;
      render('embedding', embedding, keys);
      render('extraction', extraction.model, keys);
      field('on-append').checked = extraction.onAppend;
      field('daily-tokens').value = textOf(extraction.dailyTokens);
      field('price-in').value = textOf(extraction.pricePerMillion?.input);
      field('price-out').value = textOf(extraction.pricePerMillion?.output);
      field('daily-spend').value = textOf(extraction.dailySpend);
      byId('settings-today').textContent = describeToday(settings);
    },
    clear() {
      keys = [];
      form.reset();
      for (const purpose of ['embedding', 'extraction'] as const) render(purpose, null, keys);
      byId('settings-today').replaceChildren();
    },
  };
}

function render(purpose: Purpose, choice: ModelChoice | null, keys: readonly ProviderKey[]): void {
  const options = keys.map(({ provider }) => element('option', { value: provider }, provider));
  providerOf(purpose).replaceChildren(element('option', { value: '' }, DEFAULT_LABELS[purpose]), ...options);
  providerOf(purpose).value = choice?.provider ?? '';
  field(`${purpose}-model`).value = choice?.model ?? '';
  offerModels(purpose, keys);
}

/** Shows the model field if a provider is selected, and suggests the models that its key can use. */
function offerModels(purpose: Purpose, keys: readonly ProviderKey[]): void {
  const provider = providerOf(purpose).value;
  const models = keys.find((key) => key.provider === provider)?.models ?? [];
  byId(`${purpose}-models`).replaceChildren(...models.map((value) => element('option', { value })));
  field(`${purpose}-model`).hidden = provider === '';
  field(`${purpose}-model`).required = provider !== '';
  if (purpose === 'embedding') byId('embedding-hint').hidden = provider === '';
}

function readForm(): ProviderSettingsChange {
  const input = numberIn('price-in');
  const output = numberIn('price-out');
  const hasPrice = input !== null || output !== null;
  return {
    embedding: choiceIn('embedding'),
    extraction: {
      model: choiceIn('extraction'),
      onAppend: field('on-append').checked,
      dailyTokens: numberIn('daily-tokens'),
      pricePerMillion: hasPrice ? { input: input ?? 0, output: output ?? 0 } : null,
      dailySpend: numberIn('daily-spend'),
    },
  };
}

function choiceIn(purpose: Purpose): ModelChoice | null {
  const provider = providerOf(purpose).value as Provider | '';
  return provider === '' ? null : { provider, model: field(`${purpose}-model`).value.trim() };
}

function numberIn(id: string): number | null {
  const { value } = field(id);
  return value.trim() === '' ? null : Number(value);
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

function describeToday({ today, extraction }: ProviderSettings): string {
  const resetsAtMs = parseTimestamp(today.resetsAt);
  const until = resetsAtMs === undefined ? '' : ` Resets ${formatUpcoming(resetsAtMs)}.`;
  const spent = extraction.pricePerMillion === null ? '' : ` (${formatNumber(today.extraction.spend)} spent)`;
  const search = `${formatTokens(today.embedding)} for search`;
  return `Limits apply to extraction. Used today: ${search}, ${formatTokens(today.extraction)} for extraction${spent}.${until}`;
}

function formatTokens({ inputTokens, outputTokens }: UsedTokens): string {
  return formatCount(inputTokens + outputTokens, 'token', 'tokens');
}
