import type { AddedMemory } from '../../src/contract/memories.ts';
import { ASKED_RELATED } from '../../src/contract/related.ts';
import type { ToldFact } from '../sessions/people.ts';

export interface Remembered {
  /** Keys of the facts by the ids of their memories. */
  keyOf: ReadonlyMap<string, string>;
  /** Of the facts that replace one: whether the answer to adding it listed that one. */
  isListed: boolean[];
  /** How many memories the answers to the others listed. */
  listedInVain: number[];
}

/**
 * Stores facts one by one, so that each has its own time, with their tags. With `supersedes`, as an assistant that judges
 * right: what a fact replaces is superseded if the answer lists it.
 */
export async function remember(
  call: <T>(path: string, body: unknown) => Promise<T>,
  facts: readonly ToldFact[],
  { user, tags, supersedes }: { user?: string; tags?: ReadonlyMap<string, string[]> | undefined; supersedes: boolean },
): Promise<Remembered> {
  const keyOf = new Map<string, string>();
  const idOf = new Map<string, string>();
  const isListed: boolean[] = [];
  const listedInVain: number[] = [];
  for (const { key, fact: content, project, replaces } of facts) {
    const labels = tags?.get(key);
    const memory = { content, ...(user && { user }), ...(project && { project }), ...(labels && { tags: labels }) };
    const { id, related = [] } = await call<AddedMemory>('/v1/memories', { ...memory, related: ASKED_RELATED });
    keyOf.set(id, key);
    idOf.set(key, id);
    const replaced = replaces === undefined ? undefined : idOf.get(replaces);
    if (replaced === undefined) {
      listedInVain.push(related.length);
      continue;
    }
    isListed.push(related.some((one) => one.id === replaced));
    if (supersedes && isListed.at(-1)) await call('/v1/memories', { ...memory, supersedes: replaced });
  }
  return { keyOf, isListed, listedInVain };
}
