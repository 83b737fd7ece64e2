import type { Client, WithResponse } from '../../client/client.ts';
import { ApiError, UnreachableError } from '../../client/errors.ts';
import type { AddedMemory, ChangedMemory, Memory, MemoryChange } from '../../contract/memories.ts';
import type { FileFormat } from './file-format.ts';
import { hashPart, type NotePart, normalizeContent } from './note.ts';
import type { RemoteContent } from './plan.ts';
import type { PendingCreate, SyncScope } from './state.ts';

const PAGE = 200;

export type Remote = ReturnType<typeof createRemote>;

/** The memories of a scope, as last read, and the calls that change them. */
export function createRemote(client: Client, { user, project }: Omit<SyncScope, 'tenantId'>, format: FileFormat) {
  const current = new Map<string, Memory>();
  const closed = new Map<string, Memory>();
  const elsewhere = new Map<string, Memory>();
  const content: RemoteContent = { current, closed, elsewhere };
  const { tag } = format;
  const filter = { user, ...(project !== null && { project, projectOnly: true }), ...(tag !== undefined && { tag }) };

  function put<T extends Memory>(found: T): T {
    const memory = format.seen(found);
    forget(memory.id);
    const isOfUser = memory.user === user && (project === null || memory.project === project);
    const isInScope = isOfUser && format.includes(memory);
    const map = !isInScope ? elsewhere : memory.validTo === null ? current : closed;
    map.set(memory.id, memory);
    return memory;
  }

  function forget(id: string): void {
    for (const map of [current, closed, elsewhere]) map.delete(id);
  }

  /** Reads these memories again. */
  async function refresh(ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += PAGE) {
      const some = ids.slice(start, start + PAGE);
      const { data } = await client.memories.query({ ids: [...some], limit: PAGE });
      for (const id of some) forget(id);
      for (const memory of data) put(memory);
    }
  }

  /** Calls with the version that was read. Returns `undefined`, and reads it again, if it is not what the plan saw. */
  async function ifUnchanged<T>(
    memory: Memory,
    call: (etag: string | undefined) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const { data, response } = await client.memories.get(memory.id).withResponse();
      const isSame = data.validTo === null && hashPart(format.seen(data)) === hashPart(memory);
      if (isSame) return await call(response.etag);
      put(data);
    } catch (error) {
      const isOther = error instanceof ApiError && ['not_found', 'precondition_failed'].includes(error.code);
      // The call may have done what it should before the connection was lost. Reading throws if there is none yet.
      const isUnknown = error instanceof UnreachableError && !error.timedOut;
      if (!isOther && !isUnknown) throw error;
      await refresh([memory.id]);
    }
    return undefined;
  }

  return {
    content,
    refresh,
    /** Reads everything. `onCount` receives how many memories were read, and how many there are. */
    async load(onCount: (count: number, total: number) => void): Promise<void> {
      const found: Memory[] = [];
      const query = { ...filter, limit: PAGE, order: 'asc' as const };
      const { total = 0 } = (await client.memories.list({ ...filter, limit: 1, total: true })) as { total?: number };
      for await (const memory of client.memories.list(query)) {
        found.push(memory);
        onCount(found.length, total);
      }
      for (const map of [current, closed, elsewhere]) map.clear();
      for (const memory of found) put(memory);
    },
    /** Creates the memory of a file, or finds the one with the same text. */
    async create({ key, body }: PendingCreate): Promise<WithResponse<AddedMemory>> {
      const answer = await client.memories.create(body, { idempotencyKey: key }).withResponse();
      // A repeated answer is as old as the first one.
      if (answer.response.replayed || answer.data.duplicate) await refresh([answer.data.id]);
      else put(answer.data);
      return { ...answer, data: format.seen(answer.data) };
    },
    /** Stores what a file says. Returns `undefined` if the memory changed in the meantime. */
    async change(memory: Memory, part: NotePart): Promise<ChangedMemory | undefined> {
      const { origin } = format.created('');
      const change: MemoryChange = {
        ...(part.content !== normalizeContent(memory.content) && { content: part.content, origin }),
        ...(!isSameTags(part.tags, memory.tags) && { tags: part.tags }),
        ...(part.project !== memory.project && { project: part.project }),
      };
      const changed = await ifUnchanged(memory, (ifMatch) => client.memories.update(memory.id, change, { ifMatch }));
      return changed && put(changed);
    },
    /** Erases a memory. Returns whether it did: not if it changed in the meantime. */
    async erase(memory: Memory): Promise<boolean> {
      const erase = (ifMatch: string | undefined) => client.memories.delete(memory.id, { ifMatch }).then(() => true);
      const isErased = (await ifUnchanged(memory, erase)) ?? false;
      if (isErased) forget(memory.id);
      return isErased;
    },
  };
}

function isSameTags(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify([...new Set(one)].sort()) === JSON.stringify([...new Set(other)].sort());
}
