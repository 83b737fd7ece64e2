import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContextAnswer } from '../../../src/contract/search.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from './suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test.each([
  ['The standup is at 9:40', 'The standup is at 10:15', 'when is the standup?'],
  ['The shop opens at eight', 'The shop opens at nine since May', 'when does the shop open?'],
])('prompts and starts get both of two memories of which somebody said that both hold: %s, %s', async (...told) => {
  const [first, second, query] = told;
  const caller = await newSuggesting(daemon);
  const older = await caller.add(first);
  const newer = await caller.add(second);
  const { id } = await caller.suggest({ kind: 'supersede', memoryIds: [older.id, newer.id] });
  const textFor = async (purpose: string) =>
    (await caller.call<ContextAnswer>('/v1/context', { body: { query, purpose } })).body.text;
  for (const purpose of ['session_start', 'prompt']) {
    expect(await textFor(purpose)).toContain(second);
    expect(await textFor(purpose)).not.toContain(first);
  }
  await caller.decide(id, 'reject');
  for (const purpose of ['session_start', 'prompt']) {
    expect(await textFor(purpose)).toContain(second);
    expect(await textFor(purpose)).toContain(first);
  }
});
