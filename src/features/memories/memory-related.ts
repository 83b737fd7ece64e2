import type { AddedMemory, Memory, NewMemory } from '../../contract/memories.ts';
import type { Principal } from '../keys/keys.ts';

/** Finds memories of the same user about the same as a new one, most alike first. */
export type FindRelated = (
  principal: Pick<Principal, 'tenantId'>,
  memory: NewMemory,
  limit: number,
) => Promise<Memory[]>;

/**
 * Adds a memory and, meanwhile, finds up to `limit` others about the same, so that whoever adds it can say which of them it
 * replaces. What it supersedes already is not listed.
 */
export async function addWithRelated(
  findRelated: FindRelated,
  principal: Principal,
  memory: NewMemory,
  limit: number,
  add: () => Promise<AddedMemory>,
): Promise<AddedMemory> {
  if (limit === 0) return add();
  // Two more: the search may still find what is superseded, and already the new memory.
  const [added, found] = await Promise.all([add(), findRelated(principal, memory, limit + 2)]);
  const known = new Set([added.id, memory.supersedes]);
  return { ...added, related: found.filter(({ id }) => !known.has(id)).slice(0, limit) };
}
