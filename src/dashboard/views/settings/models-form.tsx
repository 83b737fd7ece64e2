import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { ModelChoice, ProviderKey, ProviderSettings, ProviderSettingsChange } from '../../../client/client.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';
import { hrefOf } from '../../router.ts';
import { changeOf, type ModelInput, type SettingsInput, settingsInput } from './settings-input.ts';

interface ModelsFormProps {
  settings: ProviderSettings;
  keys: readonly ProviderKey[];
  onSave(change: ProviderSettingsChange): Promise<boolean>;
}

/** The form for models, automatic extraction and limits. What was loaded again replaces the fields only if it changed. */
export function ModelsForm({ settings, keys, onSave }: ModelsFormProps) {
  const loaded = JSON.stringify(settingsInput(settings));
  const input = useSignal<SettingsInput>(settingsInput(settings));
  const isBusy = useSignal(false);
  useEffect(() => {
    input.value = settingsInput(settings);
  }, [loaded]);
  const set = (change: Partial<SettingsInput>) => {
    input.value = { ...input.value, ...change };
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    isBusy.value = true;
    await onSave(changeOf(input.value));
    isBusy.value = false;
  };
  const { embedding, extraction, onAppend } = input.value;
  return (
    <form class="card stack" autocomplete="off" onSubmit={(event) => void submit(event)}>
      <h2>Models and limits</h2>
      <div class="grid">
        <ModelField
          title="Search by meaning"
          label="Embedding"
          standard="Server default, if any"
          choice={embedding}
          keys={keys}
          onChange={(choice) => set({ embedding: choice })}
        >
          {embedding && <p class="hint">Everything you store and search for is sent to this provider.</p>}
          <EmbeddingState settings={settings} />
        </ModelField>
        <ModelField
          title="Memory extraction"
          label="Extraction"
          standard="Automatic (small model)"
          choice={extraction}
          keys={keys}
          onChange={(choice) => set({ extraction: choice })}
        >
          <label class="check">
            <input
              type="checkbox"
              checked={onAppend}
              onChange={(event) => set({ onAppend: event.currentTarget.checked })}
            />
            Extract automatically from new messages
          </label>
          <p class="hint">
            What was extracted, and what it cost, is in <a href={hrefOf('activity', { tab: 'jobs' })}>Jobs</a>.
          </p>
        </ModelField>
      </div>
      <Limits input={input.value} onChange={set} />
      <UsedToday settings={settings} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy.value}>
          Save
        </button>
      </div>
    </form>
  );
}

interface ModelFieldProps {
  title: string;
  label: string;
  standard: string;
  choice: ModelInput;
  keys: readonly ProviderKey[];
  onChange(choice: ModelInput): void;
  children: preact.ComponentChildren;
}

/** A provider, and one of its models; the model is asked for once a provider is chosen. */
function ModelField({ title, label, standard, choice, keys, onChange, children }: ModelFieldProps) {
  const models = keys.find(({ provider }) => provider === choice?.provider)?.models ?? [];
  const list = useId();
  return (
    <fieldset class="stack model-field">
      <legend>{title}</legend>
      <select
        aria-label={`${label} provider`}
        value={choice?.provider ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange(value === '' ? undefined : { provider: value as ModelChoice['provider'], model: '' })
        }
      >
        <option value="">{standard}</option>
        {keys.map(({ provider }) => (
          <option key={provider}>{provider}</option>
        ))}
      </select>
      {choice && (
        <>
          <input
            aria-label={`${label} model`}
            list={list}
            autocomplete="off"
            required
            maxLength={200}
            placeholder="Model"
            value={choice.model}
            onInput={(event) => onChange({ ...choice, model: event.currentTarget.value })}
          />
          <datalist id={list}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
      {children}
    </fieldset>
  );
}

function EmbeddingState({ settings: { embedding } }: { settings: ProviderSettings }) {
  if (!embedding) return null;
  const { state, waiting, fault } = embedding;
  if (state === 'failing') return <p class="caution">{fault ?? 'The model returns no vectors.'}</p>;
  if (state === 'serving') return <p class="hint">Searches use this model.</p>;
  return (
    <p class="hint">
      {formatCount(waiting, 'text', 'texts')} still to embed. Until then, searches use the previous model.
    </p>
  );
}

const LIMITS = [
  { name: 'dailyTokens', title: 'Daily token limit', step: '1', placeholder: 'no limit' },
  { name: 'priceIn', title: 'Input price', step: 'any', placeholder: 'per million' },
  { name: 'priceOut', title: 'Output price', step: 'any', placeholder: 'per million' },
  { name: 'dailySpend', title: 'Daily spend limit', step: 'any', placeholder: 'no limit' },
] as const;

function Limits({ input, onChange }: { input: SettingsInput; onChange: (change: Partial<SettingsInput>) => void }) {
  return (
    <div class="fields limits">
      {LIMITS.map(({ name, title, step, placeholder }) => (
        <label key={name}>
          {title}
          <input
            type="number"
            min="0"
            step={step}
            placeholder={placeholder}
            value={input[name]}
            onInput={(event) => onChange({ [name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </div>
  );
}

function UsedToday({ settings: { today, extraction } }: { settings: ProviderSettings }) {
  const tokens = ({ inputTokens, outputTokens }: ProviderSettings['today']['embedding']) =>
    formatCount(inputTokens + outputTokens, 'token', 'tokens');
  const spent = extraction.pricePerMillion === null ? '' : ` (${formatNumber(today.extraction.spend)} spent)`;
  return (
    <p class="hint">
      Limits apply to extraction. Used today: {tokens(today.embedding)} for search, {tokens(today.extraction)} for
      extraction{spent}. Resets <Moment at={today.resetsAt} isUpcoming />.
    </p>
  );
}
