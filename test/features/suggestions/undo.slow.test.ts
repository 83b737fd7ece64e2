import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

let daemon: MemoryDaemon;
beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const SUBJECTS = ['The shop opens at', 'Our ward has', 'My phone is', 'The cat sleeps in'];
const KINDS = ['merge', 'supersede', 'contradiction', 'expire', 'split', 'add'] as const;

/** What an owner sees of their memories, and what searches find. */
async function seenBy(caller: Suggesting): Promise<unknown> {
  const { body } = await caller.call<{ data: Memory[] }>('/v1/memories?limit=200&includeSuperseded=true');
  const memories = body.data
    .map(({ id, content, tags, metadata, validTo, supersededBy }) => ({
      id,
      content,
      tags,
      metadata,
      validTo,
      supersededBy,
    }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const found = await Promise.all(SUBJECTS.map(async (subject) => (await caller.find(subject, { limit: 50 })).sort()));
  return { memories, found };
}

/** Suggests a change of the memories at two places; `undefined` if it cannot be suggested. */
async function suggest(
  caller: Suggesting,
  memories: readonly Memory[],
  kind: string,
  at: [number, number],
  number: number,
) {
  const one = memories[at[0] % memories.length]!;
  const other = memories[at[1] % memories.length]!;
  const ids = { merge: 2, supersede: 2, contradiction: 2, expire: 1, split: 1, add: 0 }[kind];
  const memoryIds = [one.id, other.id].slice(0, ids);
  const content = {
    merge: `${one.content} indeed ${number}`,
    split: `Half ${number}\nRest ${number}`,
    add: `New fact ${number}`,
  }[kind];
  const suggestion = { kind, memoryIds, reason: 'at random', ...(content && { content }) };
  const answer = await caller.call<{ data: { id: string; state: string }[] }>('/v1/suggestions', {
    body: { suggestions: [suggestion] },
  });
  return answer.status === 201
    ? { ...answer.body.data[0]!, keep: kind === 'contradiction' ? one.id : undefined }
    : undefined;
}

const step = fc.record({
  what: fc.constantFrom('accept', 'accept', 'accept', 'reject', 'edit', 'undo'),
  kind: fc.constantFrom(...KINDS),
  at: fc.tuple(fc.nat(20), fc.nat(20)),
});

test('all decisions of any mixture of accepts, rejects, undos and edits, newest first, restores what was there', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const caller = await newSuggesting(daemon);
      await caller.addAll(
        SUBJECTS.flatMap((subject) => [1, 2].map((value) => ({ content: `${subject} ${value}`, tags: [`t${value}`] }))),
      );
      const before = await seenBy(caller);
      const accepted: string[] = [];
      const undo = async () => {
        const id = accepted.pop();
        if (id !== undefined) await caller.decide(id, 'undo');
      };
      for (const { what, kind, at } of steps) {
        number += 1;
        const { body } = await caller.call<{ data: Memory[] }>('/v1/memories?limit=200');
        if (what === 'undo') await undo();
        else if (what === 'edit') {
          // An edit that is taken back leaves two versions, on which an undo must not stand.
          const memory = body.data[at[0] % body.data.length]!;
          const isTouched = accepted.length > 0;
          if (!isTouched) {
            await caller.change(memory.id, { content: `${memory.content} or so ${number}` });
            await caller.change(memory.id, { content: memory.content });
          }
        } else if (body.data.length > 0) {
          const suggestion = await suggest(caller, body.data, kind, at, number);
          if (suggestion?.state !== 'open') continue;
          const path = `/v1/suggestions/${suggestion.id}/${what}`;
          const request = {
            method: 'POST',
            ...(what === 'accept' && { body: suggestion.keep ? { keep: suggestion.keep } : {} }),
          };
          const { status } = await caller.call(path, request);
          if (status === 200 && what === 'accept') accepted.push(suggestion.id);
        }
      }
      while (accepted.length > 0) await undo();
      expect(await seenBy(caller)).toEqual(before);
    }),
    { numRuns: 8 },
  );
}, 60_000);
