import type { AddedMemory, MemoriesQuery, Memory, MemoryChange, NewMemory } from '../contract/memories.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, CreateOptions } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import type { Transport } from './transport.ts';

/** Calls for memories. */
export function memoryCalls(transport: Transport) {
  const { send, create } = transport;
  return {
    /** Returns the existing memory, marked `duplicate`, if the user already has one with the same content. */
    create: (memory: NewMemory, options?: CreateOptions): ApiPromise<AddedMemory> =>
      create('/v1/memories', memory, options),
    /** Creates 1 to 500 memories, all or none, and returns them in the order sent. */
    createMany: (memories: NewMemory[], options?: CreateOptions): ApiPromise<{ data: AddedMemory[] }> =>
      create('/v1/memories/batch', { memories }, options),
    ...resourceCalls<Memory, MemoryChange, MemoriesQuery>(transport, '/v1/memories'),
    /** Returns every version of a memory. */
    history: (id: string, options?: CallOptions): ApiPromise<{ data: Memory[] }> =>
      send('GET', `/v1/memories/${encodeURIComponent(id)}/history`, undefined, options),
  };
}
