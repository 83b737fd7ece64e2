import type { Account, Usage } from '../contract/account.ts';
import type { MagicLinkRequest } from '../contract/auth.ts';
import type { AddedMemory, MemoriesQuery, Memory, MemoryChange, NewMemory } from '../contract/memories.ts';
import type { ExportQuery, ImportFormat, ImportReport } from '../contract/portability.ts';
import type { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../contract/search.ts';
import { type CreateOptions, queryString, resourceCalls } from './calls.ts';
import { conversationCalls } from './conversation-calls.ts';
import { episodeCalls } from './episode-calls.ts';
import { type ExportLine, readExportLines } from './export-stream.ts';
import { jobCalls } from './job-calls.ts';
import { learningCalls } from './learning-calls.ts';
import { providerCalls } from './provider-calls.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export type { Account, Usage } from '../contract/account.ts';
export type * from '../contract/conversations.ts';
export type * from '../contract/episodes.ts';
export { AppError, type AppErrorOptions, type ErrorCode, type FieldError } from '../contract/errors.ts';
export type * from '../contract/jobs.ts';
export type * from '../contract/memories.ts';
export type * from '../contract/provider-settings.ts';
export type * from '../contract/providers.ts';
export type * from '../contract/search.ts';
export type { ChangeOptions, CreateOptions, PageOf } from './calls.ts';
export type { AppendedMessages } from './conversation-calls.ts';
export type { ExportLine } from './export-stream.ts';
export { type Fetch, type Tagged, type TransportOptions, UnreachableError } from './transport.ts';

export interface AddedBatch {
  /** In the order sent. */
  data: AddedMemory[];
  replayed: boolean;
}

export interface ImportOptions {
  /** The format of the file. Defaults to svc's own export. */
  format?: ImportFormat;
  /** The user of entries that name none. */
  user?: string;
  /** Tags added to every memory. */
  tags?: readonly string[];
  /** Called with the number of bytes sent so far. */
  onProgress?: (bytes: number) => void;
}

/**
 * Creates a typed client for svc's API. Calls throw `AppError`, with the code of the problem document, if the daemon
 * rejects the request and `UnreachableError` if there is no daemon. Calls that are safe to repeat are retried with
 * backoff after 429, 503 and connection failures, honoring `Retry-After`; creating calls use an idempotency key.
 */
export function createClient(options: TransportOptions) {
  const transport = createTransport(options);
  const { send, create, download, upload } = transport;

  return {
    auth: {
      requestLink: (request: MagicLinkRequest) =>
        send<{ status: 'sent'; expiresAt: string }>('POST', '/v1/auth/magic-link', request),
      redeemCode: (request: { code: string; codeVerifier: string }) =>
        send<{ apiKey: string; account: Account }>('POST', '/v1/auth/token', request),
      revokeKey: () => send<void>('DELETE', '/v1/auth/key'),
    },
    account: () => send<Account>('GET', '/v1/account'),
    eraseAccount: () => send<void>('DELETE', '/v1/account'),
    usage: (days = 30) => send<Usage>('GET', `/v1/usage?days=${days}`),
    memories: {
      add: async (memory: NewMemory, extra?: CreateOptions): Promise<AddedMemory> =>
        (await create<AddedMemory>('/v1/memories', memory, extra)).body,
      /** Adds all or none. `replayed` if an earlier call with the same key already added them. */
      async addBatch(memories: NewMemory[], extra?: CreateOptions): Promise<AddedBatch> {
        const { body, replayed } = await create<{ data: AddedMemory[] }>('/v1/memories/batch', { memories }, extra);
        return { ...body, replayed };
      },
      ...resourceCalls<Memory, MemoryChange, MemoriesQuery>(transport, '/v1/memories'),
      history: (id: string) => send<{ data: Memory[] }>('GET', `/v1/memories/${encodeURIComponent(id)}/history`),
    },
    conversations: conversationCalls(transport),
    episodes: episodeCalls(transport),
    ...learningCalls(send),
    ...providerCalls(transport),
    jobs: jobCalls(transport),
    /** Yields the whole account as NDJSON lines. Throws `UnreachableError` if the export is truncated. */
    export: (query: ExportQuery = {}): AsyncGenerator<ExportLine> =>
      readExportLines(download(`/v1/export${queryString(query)}`)),
    /** Uploads a file, without retries. Safe to repeat after any failure, because nothing is added twice. */
    import(
      source: AsyncIterable<Uint8Array>,
      { format, user, tags = [], onProgress = () => {} }: ImportOptions = {},
    ): Promise<ImportReport> {
      const query = new URLSearchParams(tags.map((tag) => ['tag', tag]));
      if (format !== undefined) query.set('format', format);
      if (user !== undefined) query.set('user', user);
      return upload<ImportReport>(`/v1/import?${query}`, countBytes(source, onProgress));
    },
    search: (request: SearchRequest) => send<SearchAnswer>('POST', '/v1/search', request),
    context: (request: ContextRequest) => send<ContextAnswer>('POST', '/v1/context', request),
  };
}

export type Client = ReturnType<typeof createClient>;

async function* countBytes(source: AsyncIterable<Uint8Array>, onProgress: (bytes: number) => void) {
  let bytes = 0;
  for await (const chunk of source) {
    yield chunk;
    bytes += chunk.length;
    onProgress(bytes);
  }
}
