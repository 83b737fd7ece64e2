import type { Memory } from '../client/client.ts';
import type { NewMemory } from '../contract/memories.ts';
import { announce } from './live.ts';
import { currentSession } from './session.ts';

/**
 * Replaces a memory by what holds now. The older one stays in the history, and searches no longer find it. A text that is
 * stored already is not stored again. Returns the newer memory.
 */
export async function supersede({ id, user }: Pick<Memory, 'id' | 'user'>, newer: NewMemory): Promise<Memory> {
  const memory = await currentSession().client.memories.create({ ...newer, user, supersedes: id });
  announce('memory');
  return memory;
}
