import { expect, test } from 'vitest';
import { createBackoffs } from '../../../src/features/embeddings/backoff.ts';
import { EmbedderFault } from '../../../src/outside/models/embedder.ts';
import { createTestClock } from '../../helpers/clock.ts';

const MODEL = { id: 1, tenantId: 'one', keyVersion: null };
const fault = (reason: 'unavailable' | 'settings', retryAfterMs?: number) =>
  new EmbedderFault(reason, 'It does not answer.', { retryAfterMs });

/** Records failures one after the other and returns how long the model was paused after each. */
function pausesAfter(faults: EmbedderFault[], byte: number): number[] {
  const clock = createTestClock();
  const random = { bytes: (count: number) => Buffer.alloc(count, byte) };
  const backoff = createBackoffs({ clock, random, log: { warn() {} } as never }, { maxPauseMs: 4000, count() {} }).with(
    MODEL,
  );
  return faults.map((one) => {
    backoff.recordFailure(one);
    let pausedMs = 0;
    for (; !backoff.isReady(); pausedMs += 100) clock.advance(100);
    return pausedMs;
  });
}

test('a failing model is tried again after pauses that double, at moments that chance spreads', () => {
  const faults = Array.from({ length: 5 }, () => fault('unavailable'));
  expect(pausesAfter(faults, 255)).toEqual([1000, 2000, 4000, 4000, 4000]);
  expect(pausesAfter(faults, 0)).toEqual([500, 1000, 2000, 2000, 2000]);
});

test('a model is not tried before its provider asks, nor more often when it asks for little', () => {
  expect(pausesAfter([fault('unavailable', 9000)], 0)).toEqual([9000]);
  expect(
    pausesAfter(
      [1, 2, 3].map(() => fault('unavailable', 100)),
      255,
    ),
  ).toEqual([1000, 2000, 4000]);
});

test('a misconfigured model pauses as long from its first failure', () => {
  expect(pausesAfter([fault('settings'), fault('settings')], 255)).toEqual([4000, 4000]);
});
