import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContextAnswer, SearchTimings } from '../../../src/contract/search.ts';
import { createStageTimings } from '../../../src/features/search/stage-timings.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  await caller.addAll([{ content: 'The launch is on Friday' }, { content: 'The launch needs a permit' }]);
});
afterAll(() => daemon.close());

const STAGES = ['queryMs', 'waitMs', 'candidatesMs', 'signalsMs', 'rankMs', 'resultsMs'];

function expectParts({ totalMs, ...stages }: SearchTimings): void {
  const sum = Object.values(stages).reduce((total, ms) => total + ms, 0);
  expect(Math.min(...Object.values(stages))).toBeGreaterThanOrEqual(0);
  // Each figure has two decimals.
  expect(Math.abs(sum - totalMs)).toBeLessThan(0.05);
}

test('a stage takes the time since the one before it ended', () => {
  let nowMs = 1000;
  const stages = createStageTimings({ monotonicMs: () => nowMs });
  nowMs += 2.004;
  stages.end('waitMs');
  nowMs += 3;
  stages.end('candidatesMs');
  const none = { queryMs: 0, signalsMs: 0, rankMs: 0, resultsMs: 0 };
  expect(stages.timings()).toEqual({ waitMs: 2, candidatesMs: 3, totalMs: 5, ...none });
});

describe('the answer', () => {
  test('to an explained search says how long each stage took', async () => {
    const { timings, tookMs } = (await caller.search('launch', { explain: true })).body;
    expect(Object.keys(timings!).sort()).toEqual([...STAGES, 'totalMs'].sort());
    expectParts(timings!);
    expect(timings!.totalMs).toBe(tookMs);
    expect((await caller.search('launch')).body).not.toHaveProperty('timings');
  });

  test('to an explained context does so too, and is the same otherwise', async () => {
    const contextOf = async (more = {}) =>
      (await caller.call<ContextAnswer>('/v1/context', { body: { query: 'launch', ...more } })).body;
    const { timings, searchId: _, ...explained } = await contextOf({ explain: true });
    expect(Object.keys(timings!).sort()).toEqual([...STAGES, 'contextMs', 'totalMs'].sort());
    expectParts(timings!);
    const { searchId: __, ...plain } = await contextOf();
    expect(explained).toEqual(plain);
  });
});
