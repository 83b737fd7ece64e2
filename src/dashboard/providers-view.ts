import { isOpen } from '../contract/job-states.ts';
import type { ProviderSettingsChange } from '../contract/provider-settings.ts';
import type { NewProviderKey } from '../contract/providers.ts';
import { type Api, ApiError, type Job, type Provider, type ProviderKey, type ProviderSettings } from './api.ts';
import { byId, element } from './dom.ts';
import { describeError } from './format.ts';
import { jobItem } from './job-item.ts';
import { createProviderForm, type ProviderForm } from './provider-form.ts';
import { keyLabel, providerKeyItem } from './provider-key-item.ts';
import { createSettingsForm, type SettingsForm } from './settings-form.ts';
import { confirmWith } from './view.ts';

/** Keys of model providers, what svc may do with them, and the jobs that do it. One for the life of the page. */
export interface ProvidersView {
  show(api: Api): Promise<void>;
  /** Takes it all off the page, a key that was being typed included, and gives up calls under way. */
  clear(): void;
}

interface Events {
  /** A call failed in a way that may concern the whole page; true where the page has dealt with it. */
  onError(error: unknown, api: Api): boolean;
}

interface State {
  readonly events: Events;
  readonly form: ProviderForm;
  readonly settings: SettingsForm;
  api: Api | undefined;
  inFlight: AbortController;
  pollTimer: ReturnType<typeof setTimeout> | undefined;
}

const POLL_INTERVAL_MS = 3000;

function setStatus(text: string, tone: 'info' | 'error' = 'info'): void {
  byId('provider-status').textContent = text;
  byId('provider-status').classList.toggle('is-error', tone === 'error');
}

/** Does the work with the present key; resolves to whether it was done. What failed is said, unless all is over. */
async function attempt(state: State, work: (api: Api, signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const { api } = state;
  const { signal } = state.inFlight;
  if (!api) return false;
  try {
    await work(api, signal);
    return !signal.aborted;
  } catch (error) {
    if (!signal.aborted && !state.events.onError(error, api)) setStatus(describeError(error), 'error');
    return false;
  }
}

function refresh(state: State): Promise<boolean> {
  return attempt(state, async (api, signal) => {
    const [keys, settings, jobs] = await Promise.all([
      api.providerKeys(signal),
      api.providerSettings(signal),
      api.jobs(signal),
    ]);
    showKeys(state, keys.data, settings);
    showJobs(state, jobs.data);
    byId('provider-more').hidden = keys.data.length === 0 && jobs.data.length === 0;
  });
}

function showKeys(state: State, keys: ProviderKey[], settings: ProviderSettings): void {
  const actions = {
    onCheck: (key: ProviderKey) => void check(state, key),
    onRemove: (key: ProviderKey) => void remove(state, key),
  };
  byId('provider-list').replaceChildren(...keys.map((key) => providerKeyItem(key, actions)));
  byId('provider-hint').hidden = keys.length > 0;
  state.settings.show(settings, keys);
}

/** While one is open, the list is looked at again, as long as it can be seen. */
function showJobs(state: State, jobs: Job[]): void {
  clearTimeout(state.pollTimer);
  const none = element(
    'li',
    { class: 'hint' },
    'None yet. “svc extract” or POST /v1/conversations/{id}/extract makes one.',
  );
  byId('job-list').replaceChildren(...(jobs.length === 0 ? [none] : jobs.map(jobItem)));
  if (jobs.some(isOpen)) state.pollTimer = setTimeout(() => void pollJobs(state), POLL_INTERVAL_MS);
}

async function pollJobs(state: State): Promise<void> {
  const isSeen = byId<HTMLDetailsElement>('provider-more').open && !document.hidden;
  if (isSeen) await attempt(state, async (api, signal) => showJobs(state, (await api.jobs(signal)).data));
  else state.pollTimer = setTimeout(() => void pollJobs(state), POLL_INTERVAL_MS);
}

async function put(state: State, provider: Provider, key: NewProviderKey): Promise<boolean> {
  setStatus(`Asking ${provider}…`);
  const isStored = await attempt(state, async (api, signal) => {
    const kept = await api.putProviderKey(provider, key);
    if (!signal.aborted) setStatus(checkSummary(kept));
  });
  if (isStored) await refresh(state);
  if (isStored) byId('provider-status').focus();
  return isStored;
}

async function check(state: State, { provider }: ProviderKey): Promise<void> {
  setStatus(`Asking ${provider}…`);
  await attempt(state, async (api, signal) => {
    const checked = await api.checkProviderKey(provider);
    if (!signal.aborted) setStatus(checkSummary(checked));
  });
  // Also where the provider refused it: the list then says so.
  await refresh(state);
}

function checkSummary(key: ProviderKey): string {
  const { provider, check, status } = key;
  if (check.outcome === 'ok') return `${provider} takes ${keyLabel(key)}.`;
  const kept = status === 'valid' ? 'It was valid before and stays in use.' : 'It is kept as unverified.';
  return `${check.message} ${kept}`;
}

async function remove(state: State, key: ProviderKey): Promise<void> {
  const { provider } = key;
  const text = `svc stops using ${keyLabel(key)} at once: jobs that need it end, and models chosen of it are given up. At the provider it stays valid until you revoke it there.`;
  if (!(await confirmWith({ title: `Remove the key for ${provider}?`, text, yes: 'Remove' }))) return;
  await attempt(state, async (api) => {
    await api.removeProviderKey(provider).catch(ignoreMissing);
    await refresh(state);
    setStatus(`The key for ${provider} is removed.`);
    byId('provider-status').focus();
  });
}

/** A key that is gone already is what was asked for. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.kind === 'missing')) throw error;
}

async function change(state: State, wanted: ProviderSettingsChange): Promise<void> {
  await attempt(state, async (api, signal) => {
    await api.changeProviderSettings(wanted);
    if (signal.aborted) return;
    await refresh(state);
    setStatus('Saved.');
  });
}

export function createProvidersView(events: Events): ProvidersView {
  const state: State = {
    events,
    form: createProviderForm((provider, key) => put(state, provider, key)),
    settings: createSettingsForm((wanted) => change(state, wanted)),
    api: undefined,
    inFlight: new AbortController(),
    pollTimer: undefined,
  };
  return {
    async show(api) {
      state.api = api;
      await refresh(state);
    },
    clear() {
      state.inFlight.abort();
      state.inFlight = new AbortController();
      state.api = undefined;
      clearTimeout(state.pollTimer);
      state.form.close();
      state.settings.clear();
      for (const id of ['provider-list', 'job-list']) byId(id).replaceChildren();
      byId<HTMLDetailsElement>('provider-more').open = false;
      byId('provider-more').hidden = true;
      byId('provider-hint').hidden = false;
      setStatus('');
    },
  };
}
