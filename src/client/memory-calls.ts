import type {
  AddedMemory,
  ChangedMemory,
  ExternalMemory,
  MemoriesQuery,
  Memory,
  MemoryAddition,
  MemoryChange,
  MemoryHistoryQuery,
  NewMemory,
} from '../contract/memories.ts';
import type {
  DeletedMemories,
  FoundMemories,
  MemoriesDeletion,
  MemoriesRequest,
  MemoriesUpdate,
  UpdatedMemories,
} from '../contract/memories-bulk.ts';
import type { MemoryStats, MemoryStatsQuery } from '../contract/memories-stats.ts';
import type { MemoryNeighbor, NeighborsQuery } from '../contract/neighbors.ts';
import type { MemoryUse, MemoryUses, MemoryUsesQuery } from '../contract/searches.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import { queryString, type Transport } from './transport.ts';

/** Thousands of memories are written in many small transactions, between the writes of others. */
const BULK_TIMEOUT_MS = 300_000;

/** Calls for memories. */
export function memoryCalls(transport: Transport) {
  const { send, create, list } = transport;
  const externalPath = (externalId: string, query: { user?: string } = {}) =>
    `/v1/memories/external/${encodeURIComponent(externalId)}${queryString(query)}`;
  return {
    /** Returns the existing memory, marked `duplicate`, if the user already has one with the same content. */
    create: (memory: MemoryAddition, options?: CreateOptions): ApiPromise<AddedMemory> =>
      create('/v1/memories', memory, options),
    /** Creates 1 to 500 memories, all or none, and returns them in the order sent. */
    createMany: (memories: NewMemory[], options?: CreateOptions): ApiPromise<{ data: AddedMemory[] }> =>
      create('/v1/memories/batch', { memories }, options),
    ...resourceCalls<Memory, MemoryChange, MemoriesQuery, ChangedMemory>(transport, '/v1/memories'),
    /** Counts the memories of a filter by user, tag, project, source, client, state and day. */
    stats: (query: MemoryStatsQuery = {}, options?: CallOptions): ApiPromise<MemoryStats> =>
      send('GET', `/v1/memories/stats${queryString(query)}`, undefined, options),
    /** Returns memories by ids, in the order given, or a page of those that match a filter. */
    query: (request: MemoriesRequest, options?: CallOptions): ApiPromise<FoundMemories> =>
      send('POST', '/v1/memories/query', request, options),
    /** Changes up to 10,000 memories, selected by ids or a filter. Times out after 5 minutes by default. */
    updateMany: (request: MemoriesUpdate, options?: CreateOptions): ApiPromise<UpdatedMemories> =>
      create('/v1/memories/update', request, { timeoutMs: BULK_TIMEOUT_MS, ...options }),
    /** Erases up to 10,000 memories with their history, like `updateMany`. */
    deleteMany: (request: MemoriesDeletion, options?: CreateOptions): ApiPromise<DeletedMemories> =>
      create('/v1/memories/delete', request, { timeoutMs: BULK_TIMEOUT_MS, ...options }),
    /** Memories by your own ids; `user` defaults to `default`. */
    external: {
      /** Creates the memory, or replaces it: fields that are absent go back to their defaults. */
      put: (externalId: string, memory: ExternalMemory, options?: ChangeOptions): ApiPromise<ChangedMemory> =>
        send('PUT', externalPath(externalId), memory, options),
      get: (externalId: string, query?: { user?: string }, options?: CallOptions): ApiPromise<Memory> =>
        send('GET', externalPath(externalId, query), undefined, options),
      delete: (externalId: string, query?: { user?: string }, options?: ChangeOptions): ApiPromise<void> =>
        send('DELETE', externalPath(externalId, query), undefined, options),
    },
    /** Returns how often searches showed a memory, and how often it was of use. */
    use: (id: string, options?: CallOptions): ApiPromise<MemoryUse> =>
      send('GET', `/v1/memories/${encodeURIComponent(id)}/use`, undefined, options),
    /** Returns the same for up to 200 memories. Those that no search has shown are left out. */
    uses: (query: MemoryUsesQuery, options?: CallOptions): ApiPromise<MemoryUses> =>
      send('GET', `/v1/memories/uses${queryString(query)}`, undefined, options),
    /** Lists the memories that are related to one: superseded and superseding, of the same source, and similar. */
    neighbors: (
      id: string,
      query: NeighborsQuery = {},
      options?: CallOptions,
    ): ApiPromise<{ data: MemoryNeighbor[] }> =>
      send('GET', `/v1/memories/${encodeURIComponent(id)}/neighbors${queryString(query)}`, undefined, options),
    /** Lists every version of a memory, newest first. */
    history: (id: string, query?: MemoryHistoryQuery, options?: CallOptions): PagePromise<Memory> =>
      list(`/v1/memories/${encodeURIComponent(id)}/history`, query, options),
  };
}
