import { type Api, ApiError, type Memory } from './api.ts';
import { byId } from './dom.ts';
import { firstSteps, noMemoriesForUser, noResults } from './empty-states.ts';
import { describeError, formatCount } from './format.ts';
import { createMemoryList, type MemoryList } from './memory-list.ts';
import { confirmWith } from './view.ts';

/** Search results, or the newest memories if the search is empty. Created once per page. */
export interface MemoriesView {
  /** Shows the newest memories of this key's tenant. */
  show(api: Api): Promise<void>;
  /** Removes all memories from the page and aborts requests in flight. */
  clear(): void;
}

interface Events {
  /** Called when a request fails. Returns true if the page has handled the error. */
  onError(error: unknown, api: Api): boolean;
  /** Called after an action that changes the account's usage. */
  onChange(api: Api): void;
}

interface State {
  readonly events: Events;
  readonly list: MemoryList;
  api: Api | undefined;
  inFlight: AbortController;
  nextCursor: string | null;
}

const queryOf = () => byId<HTMLInputElement>('search-query').value.trim();
const userOf = () => byId<HTMLInputElement>('search-user').value.trim();

/** Runs `work` with the current session and shows its error, unless a newer request has superseded it. */
async function attempt(state: State, work: (api: Api, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { api } = state;
  const { signal } = state.inFlight;
  if (!api) return;
  try {
    await work(api, signal);
  } catch (error) {
    if (!signal.aborted && !state.events.onError(error, api)) state.list.setStatus(describeError(error), 'error');
  }
}

function reset(state: State): void {
  state.inFlight.abort();
  state.inFlight = new AbortController();
  state.nextCursor = null;
  state.list.clear();
}

function refresh(state: State): Promise<void> {
  reset(state);
  const query = queryOf();
  return query === '' ? showNewest(state) : search(state, query);
}

function showNewest(state: State, cursor?: string): Promise<void> {
  return attempt(state, async (api, signal) => {
    const { list } = state;
    const user = userOf();
    list.setStatus('Loading…');
    const page = await api.memories({ ...(user && { user }), ...(cursor && { cursor }) }, signal);
    list.append(page.data, '', (memory, card) => void forget(state, memory, card));
    state.nextCursor = page.nextCursor;
    list.showLoadMore(page.nextCursor !== null);
    if (!list.isEmpty()) list.setStatus(user ? `Newest first · user “${user}”` : 'Newest first');
    else if (user) list.showEmpty('No memories found', noMemoriesForUser(user));
    else
      list.showEmpty(
        'No memories yet',
        firstSteps(() => void refresh(state)),
      );
  });
}

function search(state: State, query: string): Promise<void> {
  return attempt(state, async (api, signal) => {
    const { list } = state;
    const user = userOf();
    list.setStatus('Searching…');
    const request = { query, limit: 20, types: ['memory' as const], explain: true, ...(user && { user }) };
    const { results, tookMs } = await api.search(request, signal);
    const found = results.filter((result) => result.type === 'memory');
    list.append(found, query, (memory, card) => void forget(state, memory, card));
    const of = user || list.users.size > 1 ? ` for user “${user || 'default'}”` : '';
    list.setStatus(
      `${formatCount(results.length, 'memory', 'memories')}${of}, best match first · ${formatDuration(tookMs)}`,
    );
    if (results.length === 0) list.showEmpty('No results', noResults(user || 'default', list.users));
  });
}

async function forget(state: State, memory: Memory, card: HTMLElement): Promise<void> {
  const beginning = memory.content.length > 160 ? `${memory.content.slice(0, 160)}…` : memory.content;
  const text = `“${beginning}” will be permanently deleted.`;
  if (!(await confirmWith({ title: 'Forget this memory?', text, yes: 'Forget' }))) return;
  await attempt(state, async (api) => {
    await api.forget(memory.id).catch(ignoreMissing);
    card.remove();
    if (state.list.isEmpty()) await refresh(state);
    else state.list.setStatus('Forgotten.');
    byId('list-status').focus();
    state.events.onChange(api);
  });
}

/** Ignores a 404: the memory is already gone. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.kind === 'missing')) throw error;
}

function formatDuration(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

/** Searches on Enter or the button, not on each keystroke, because every search counts against the quota. */
function wire(state: State): void {
  byId('search-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    await refresh(state);
    if (state.api) state.events.onChange(state.api);
  });
  byId('search-query').addEventListener('input', (event) => {
    if ((event.target as HTMLInputElement).value === '') void refresh(state);
  });
  byId('list-more').addEventListener('click', () => {
    if (state.nextCursor !== null) void showNewest(state, state.nextCursor);
  });
}

export function createMemoriesView(events: Events): MemoriesView {
  const list = createMemoryList();
  const state: State = { events, list, api: undefined, inFlight: new AbortController(), nextCursor: null };
  wire(state);
  return {
    show(api) {
      state.api = api;
      return refresh(state);
    },
    clear() {
      reset(state);
      state.api = undefined;
      list.clearUsers();
      list.setStatus('');
      for (const id of ['search-query', 'search-user']) byId<HTMLInputElement>(id).value = '';
    },
  };
}
