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

/** Provider keys, their settings and recent jobs. Created once per page. */
export interface ProvidersView {
  show(api: Api): Promise<void>;
  /** Removes everything from the page, including a partly typed key, and aborts requests in flight. */
  clear(): void;
}

interface Events {
  /** Called when a request fails. Returns true if the page has handled the error. */
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

/** Runs `work` with the current session and returns whether it succeeded. Shows its error unless it was aborted. */
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

/** Shows the jobs and polls while one is open and the list is visible. */
function showJobs(state: State, jobs: Job[]): void {
  clearTimeout(state.pollTimer);
  const none = element(
    'li',
    { class: 'hint' },
    'No jobs yet. Start one with “svc extract” or POST /v1/conversations/{id}/extract.',
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
    const stored = await api.putProviderKey(provider, key);
    if (!signal.aborted) setStatus(checkSummary(stored));
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
  // Refresh even if the provider rejected the key, to show its new status.
  await refresh(state);
}

function checkSummary(key: ProviderKey): string {
  const { provider, check, status } = key;
  if (check.outcome === 'ok') return `${provider} accepted ${keyLabel(key)}.`;
  const stored = status === 'valid' ? 'It was valid before and stays in use.' : 'It was saved as unverified.';
  return `${check.message} ${stored}`;
}

async function remove(state: State, key: ProviderKey): Promise<void> {
  const { provider } = key;
  const text = `svc stops using ${keyLabel(key)} immediately: jobs that need it are stopped and settings that use its models are reset. At the provider, the key stays valid until you revoke it there.`;
  if (!(await confirmWith({ title: `Remove the key for ${provider}?`, text, yes: 'Remove' }))) return;
  await attempt(state, async (api) => {
    await api.removeProviderKey(provider).catch(ignoreMissing);
    await refresh(state);
    setStatus(`Removed the key for ${provider}.`);
    byId('provider-status').focus();
  });
}

/** Ignores a 404: the key is already gone. */
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
