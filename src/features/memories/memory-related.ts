import type { AddedMemory, Memory, NewMemory } from '../../contract/memories.ts';
import type { Principal } from '../keys/keys.ts';

/** Finds memories of the same user about the same as a new one, most alike first. */
export type FindRelated = (principal: Principal, memory: NewMemory, limit: number) => Promise<Memory[]>;

/**
 * Adds a memory and, meanwhile, finds up to `limit` others about the same, so that whoever adds it can say which of them it
 * replaces. What it supersedes already is not listed.
 */
export async function addRelated(
  findRelated: FindRelated,
  principal: Principal,
  memory: NewMemory,
  limit: number,
  add: () => Promise<AddedMemory>,
): Promise<AddedMemory> {
  if (limit === 0) return add();
  // One more: by the time of the search, the new memory may be found itself.
  const [added, found] = await Promise.all([add(), findRelated(principal, memory, limit + 2)]);
  const known = new Set([added.id, memory.supersedes]);
  return { ...added, related: found.filter(({ id }) => !known.has(id)).slice(0, limit) };
}
