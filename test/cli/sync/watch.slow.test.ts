import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchSync } from '../../../src/cli/sync/watch.ts';
import { ApiError, type Client } from '../../../src/client/client.ts';

const problem = { type: '', title: '', status: 503, detail: 'Busy.', code: 'unavailable' as const, requestId: '' };
const busy = new ApiError(problem, { status: 503, headers: new Headers({ 'retry-after': '1.2' }) });

test('a sync that is turned away says how long it waits, and comes back no earlier than it was asked to', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-watch-'));
  const stopping = new AbortController();
  const passedAtMs: number[] = [];
  const outages: [message: string, waitMs: number][] = [];
  const client = {
    async *events({ signal }: { signal: AbortSignal }) {
      yield { id: '1', event: 'reset', data: {} };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  } as unknown as Client;
  const watching = watchSync({
    ...{ root, client, user: 'default', signal: stopping.signal },
    random: { bytes: (count) => Buffer.alloc(count) },
    async pass() {
      passedAtMs.push(performance.now());
      if (passedAtMs.length === 1) throw busy;
    },
    onOutage: ({ message }, waitMs) => outages.push([message, waitMs]),
    onReturn: () => stopping.abort(new Error('returned')),
  });
  await expect(watching).rejects.toThrow('returned');
  expect(outages).toEqual([['Busy.', 1200]]);
  // Timers may fire a millisecond early.
  expect(passedAtMs[1]! - passedAtMs[0]!).toBeGreaterThanOrEqual(1199);
  await rm(root, { recursive: true });
});
