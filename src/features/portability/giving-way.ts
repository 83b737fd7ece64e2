import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';

const STRETCH_MS = 5;

/**
 * The same items, with a turn for everybody else's requests after each stretch: a file may hold a great many that are
 * read without waiting for anything.
 */
export async function* givingWay<T>(items: AsyncIterable<T>, clock: Clock): AsyncGenerator<T> {
  let sinceMs = clock.monotonicMs();
  for await (const item of items) {
    yield item;
    if (clock.monotonicMs() - sinceMs < STRETCH_MS) continue;
    await nextTurn();
    sinceMs = clock.monotonicMs();
  }
}
