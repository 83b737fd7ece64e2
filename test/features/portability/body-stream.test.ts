import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from '../../../src/features/portability/portability-routes.ts';
import { createTestClock } from '../../helpers/clock.ts';

/** Feeds one byte per `everyMs` of the test clock; returns how many were read, or the error that ended the stream. */
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
        // The next byte arrives while the reader is waiting for it.
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

test('a slow body is read to its end while nobody is waiting for its slot', async () => {
  expect(await drip({ everyMs: 5000, times: 40, isCrowded: false })).toBe(40);
});

test('a slow body is aborted if others are waiting', async () => {
  expect(await drip({ everyMs: 5000, times: 40, isCrowded: true })).toMatchObject({ code: 'unavailable' });
});

test('a body whose pauses stay within the limit in total is read although others are waiting', async () => {
  expect(await drip({ everyMs: 1000, times: 20, isCrowded: true })).toBe(20);
});
