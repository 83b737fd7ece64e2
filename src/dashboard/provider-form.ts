import { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from '../contract/provider-names.ts';
import type { NewProviderKey } from '../contract/providers.ts';
import { byId, element } from './dom.ts';

/** The form for a new provider key. Created once per page. */
export interface ProviderForm {
  /** Clears and hides the form. */
  close(): void;
}

const keyField = () => byId<HTMLInputElement>('provider-key');
const urlField = () => byId<HTMLInputElement>('provider-url');
const modelsField = () => byId<HTMLInputElement>('provider-models');
const selectedProvider = () => byId<HTMLSelectElement>('provider-name').value as Provider;

function show(isOpen: boolean): void {
  byId('provider-form').hidden = !isOpen;
  byId('provider-add').setAttribute('aria-expanded', String(isOpen));
}

function updateRequiredFields(): void {
  const provider = selectedProvider();
  keyField().required = !KEYLESS_PROVIDERS.has(provider);
  keyField().placeholder = KEYLESS_PROVIDERS.has(provider) ? 'optional' : '';
  urlField().required = provider === 'openai-compatible';
}

/** Reads the form and clears the key field, so that the key remains only in the request. */
function takeInput(): NewProviderKey {
  const key = keyField().value.trim();
  keyField().value = '';
  const baseUrl = urlField().value.trim();
  const models = modelsField()
    .value.split(/[\s,]+/)
    .filter((name) => name !== '');
  return {
    ...(key !== '' && { key }),
    ...(baseUrl !== '' && { baseUrl }),
    ...(models.length > 0 && { models: [...new Set(models)] }),
  };
}

/** Creates the form. It closes when `onKey` resolves to true, meaning that the key was stored. */
export function createProviderForm(onKey: (provider: Provider, key: NewProviderKey) => Promise<boolean>): ProviderForm {
  const form = byId<HTMLFormElement>('provider-form');
  const submit = form.querySelector('button');
  const close = () => {
    form.reset();
    updateRequiredFields();
    show(false);
  };
  byId('provider-name').append(...PROVIDERS.map((name) => element('option', { value: name }, name)));
  byId('provider-name').addEventListener('change', updateRequiredFields);
  byId('provider-add').addEventListener('click', () => {
    show(true);
    byId('provider-name').focus();
  });
  byId('provider-cancel').addEventListener('click', () => {
    close();
    byId('provider-add').focus();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit) submit.disabled = true;
    const isStored = await onKey(selectedProvider(), takeInput());
    if (submit) submit.disabled = false;
    if (isStored) close();
    else keyField().focus();
  });
  updateRequiredFields();
  return { close };
}
