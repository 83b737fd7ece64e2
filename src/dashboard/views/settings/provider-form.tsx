import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { NewProviderKey } from '../../../client/client.ts';
import { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from '../../../contract/provider-names.ts';
import { AddForm } from './add-form.tsx';

/** The heading of provider keys with the form for a new one. The form closes once the key was stored. */
export function ProviderForm({ onKey }: { onKey: (provider: Provider, key: NewProviderKey) => Promise<boolean> }) {
  const provider = useSignal<Provider>(PROVIDERS[0]);
  const keyField = useRef<HTMLInputElement>(null);
  const isKeyless = KEYLESS_PROVIDERS.has(provider.value);
  const store = async (form: HTMLFormElement) => {
    const isStored = await onKey(provider.value, takeInput(form));
    if (!isStored) keyField.current?.focus();
    return isStored;
  };
  return (
    <AddForm id="providers-title" title="Provider keys" button="Add key" submit="Check and save" onSubmit={store}>
      <div class="field">
        <label for="provider-name">Provider</label>
        <select
          id="provider-name"
          value={provider.value}
          autofocus
          onChange={(event) => (provider.value = event.currentTarget.value as Provider)}
        >
          {PROVIDERS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <label>
        API key
        <input
          ref={keyField}
          name="key"
          type="password"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={4096}
          required={!isKeyless}
          placeholder={isKeyless ? 'optional' : ''}
        />
      </label>
      <label>
        Custom base URL
        <input
          name="baseUrl"
          type="url"
          autocomplete="off"
          maxLength={2000}
          required={provider.value === 'openai-compatible'}
          placeholder="https://models.example.com/v1"
        />
      </label>
      <label>
        Limit to models (optional)
        <input
          name="models"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="gpt-4.1-mini, …"
        />
      </label>
    </AddForm>
  );
}

/** Reads the form and clears the key field, so that the key remains only in the request. */
function takeInput(form: HTMLFormElement): NewProviderKey {
  const data = new FormData(form);
  const textOf = (name: string) => String(data.get(name) ?? '').trim();
  (form.elements.namedItem('key') as HTMLInputElement).value = '';
  const models = textOf('models')
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  return {
    ...(textOf('key') !== '' && { key: textOf('key') }),
    ...(textOf('baseUrl') !== '' && { baseUrl: textOf('baseUrl') }),
    ...(models.length > 0 && { models: [...new Set(models)] }),
  };
}
