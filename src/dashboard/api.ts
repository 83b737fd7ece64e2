import type { Static } from 'typebox';
import type { Account, Usage } from '../contract/account.ts';
import type { MagicLinkAnswer } from '../contract/auth.ts';
import type { Job, JobPage as JobPageSchema } from '../contract/jobs.ts';
import type { Memory, MemoryPage as MemoryPageSchema } from '../contract/memories.ts';
import type { Problem } from '../contract/problem.ts';
import type { ProviderSettings, ProviderSettingsChange } from '../contract/provider-settings.ts';
import type { NewProviderKey, Provider, ProviderKey, ProviderKeys } from '../contract/providers.ts';
import type { SearchAnswer, SearchRequest } from '../contract/search.ts';

export type MemoryPage = Static<typeof MemoryPageSchema>;
type JobPage = Static<typeof JobPageSchema>;

export type { Account, Job, Memory, Provider, ProviderKey, ProviderSettings, SearchAnswer, Usage };

/** Kinds of failed API calls that the page handles differently. */
export type ApiErrorKind = 'unauthenticated' | 'limited' | 'quota' | 'rejected' | 'missing' | 'unreachable' | 'failed';

/** A failed API call. `message` is the daemon's error message if it sent one. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** Seconds after which a retry may succeed, if known. */
  readonly retryAfterSeconds: number | undefined;
  /** When the exhausted quota resets. */
  readonly resetsAt: string | undefined;

  constructor(kind: ApiErrorKind, message: string, more: { retryAfterSeconds?: number; resetsAt?: string } = {}) {
    super(message);
    this.name = 'ApiError';
    this.kind = kind;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.resetsAt = more.resetsAt;
  }
}

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  key?: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

async function send(path: string, { method = 'GET', key, body, signal }: Call): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (key) headers.authorization = `Bearer ${key}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init: RequestInit = { method, headers, cache: 'no-store', redirect: 'error' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError('unreachable', 'Could not reach svc.');
  }
  if (!response.ok) throw await toApiError(response);
  return response;
}

async function toApiError(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem> & { resetsAt?: string };
  const message = problem.detail ?? problem.title ?? `svc responded with status ${response.status}.`;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retry = Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {};
  if (response.status === 401) return new ApiError('unauthenticated', message);
  if (problem.code === 'quota_exceeded') {
    return new ApiError('quota', message, problem.resetsAt ? { resetsAt: problem.resetsAt } : {});
  }
  if (response.status === 429) return new ApiError('limited', message, retry);
  if (response.status === 404) return new ApiError('missing', message);
  return new ApiError(response.status < 500 ? 'rejected' : 'failed', message, retry);
}

async function read<T>(path: string, call: Call): Promise<T> {
  const response = await send(path, call);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (call.signal?.aborted) throw error;
    throw new ApiError('unreachable', 'The connection was lost while loading.');
  }
}

/** Authenticated API calls. Each rejects with an `ApiError`, or with the abort error of its signal. */
export function createApi(key: string) {
  return {
    account: () => read<Account>('/v1/account', { key }),
    usage: (days: number) => read<Usage>(`/v1/usage?days=${days}`, { key }),
    memories(page: { user?: string; cursor?: string }, signal?: AbortSignal) {
      const query = new URLSearchParams({ limit: '20', ...page });
      return read<MemoryPage>(`/v1/memories?${query}`, { key, signal });
    },
    search: (body: SearchRequest, signal?: AbortSignal) =>
      read<SearchAnswer>('/v1/search', { method: 'POST', key, body, signal }),
    forget: (id: string) => send(`/v1/memories/${encodeURIComponent(id)}`, { method: 'DELETE', key }),
    providerKeys: (signal?: AbortSignal) => read<ProviderKeys>('/v1/provider-keys', { key, signal }),
    putProviderKey: (provider: Provider, body: NewProviderKey) =>
      read<ProviderKey>(`/v1/provider-keys/${provider}`, { method: 'PUT', key, body }),
    checkProviderKey: (provider: Provider) =>
      read<ProviderKey>(`/v1/provider-keys/${provider}/validate`, { method: 'POST', key }),
    removeProviderKey: (provider: Provider) => send(`/v1/provider-keys/${provider}`, { method: 'DELETE', key }),
    providerSettings: (signal?: AbortSignal) => read<ProviderSettings>('/v1/provider-settings', { key, signal }),
    changeProviderSettings: (body: ProviderSettingsChange) =>
      read<ProviderSettings>('/v1/provider-settings', { method: 'PATCH', key, body }),
    jobs: (signal?: AbortSignal) => read<JobPage>('/v1/jobs?limit=10', { key, signal }),
    revokeKey: () => send('/v1/auth/key', { method: 'DELETE', key }),
  };
}
export type Api = ReturnType<typeof createApi>;

/** Requests a sign-in link. The response is the same whether or not the address may sign in. */
export function requestLink(email: string): Promise<Static<typeof MagicLinkAnswer>> {
  return read('/v1/auth/magic-link', { method: 'POST', body: { email } });
}
