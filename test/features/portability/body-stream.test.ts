import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from '../../../src/features/portability/body-stream.ts';
import { createTestClock } from '../../helpers/clock.ts';

/** Feeds a byte every so many milliseconds of the test clock; returns how many were read, or what ended it. */
async function drip({ everyMs, times, isCrowded }: { everyMs: number; times: number; isCrowded: boolean }) {
  const clock = createTestClock();
  const stream = new PassThrough();
  const limits = { idleMs: 30_000, stopping: new AbortController().signal, isCrowded: () => isCrowded, clock };
  let read = 0;
  stream.write('x');
  try {
    for await (const chunk of readBody(stream, limits)) {
      read += chunk.length;
      if (read === times) stream.end();
      else {
        // The next byte comes while it is waited for.
        setImmediate(() => {
          clock.advance(everyMs);
          stream.write('x');
        });
      }
    }
    return read;
  } catch (error) {
    return error;
  }
}

test('a body that drips is read to its end while nobody waits for its place', async () => {
  expect(await drip({ everyMs: 5000, times: 40, isCrowded: false })).toBe(40);
});

test('a body that drips is given up where others wait', async () => {
  expect(await drip({ everyMs: 5000, times: 40, isCrowded: true })).toMatchObject({ code: 'unavailable' });
});

test('a body that pauses for less than the limit in all goes on, though others wait', async () => {
  expect(await drip({ everyMs: 1000, times: 20, isCrowded: true })).toBe(20);
});
