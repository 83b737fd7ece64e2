import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { REQUESTS_PER_MINUTE } from '../../src/contract/limits.ts';
import { callAt, createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

const places = createWorkplaces();
afterEach(places.clean);

const SECONDS = 7;
const QUIET_PER_SECOND = 20;
/** The loud tenant sends ten times what its tier allows. */
const LOUD_PER_SECOND = (10 * REQUESTS_PER_MINUTE.Free) / 60;
/** Below this, a difference is the machine's own. */
const NOISE_MS = 25;

const p95 = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;

/** Sends requests at a steady rate, whatever their responses take. */
async function send(perSecond: number, request: (number: number) => Promise<unknown>): Promise<void> {
  const sent: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (let number = 0; number < perSecond * SECONDS; number += 1) {
    await sleep(Math.max(0, startMs + (number * 1000) / perSecond - performance.now()));
    sent.push(request(number));
  }
  await Promise.all(sent);
}

// Other work on the machine can fail a run, but an unfair daemon fails all of them.
const RETRIES = { retry: 2 };

test(
  'a tenant at ten times its limit leaves the p95 of another within twice its quiet one (row 32)',
  RETRIES,
  async () => {
    const dataDir = await places.folder();
    const daemon = await places.start({ dataDir });
    const [loud, quiet] = [await signInAt(daemon, 'loud@example.com'), await signInAt(daemon, 'quiet@example.com')];
    const tiered = await runCommand({ dataDir, args: ['admin', 'tier', 'quiet@example.com', 'Enterprise'] });
    expect(tiered.exitCode, tiered.stderr).toBe(0);

    /** A POST, a search and a GET in turn. */
    const requestOf = (apiKey: string, name: string) => (number: number) => {
      const content = `${name} remembers the heron of lake ${number} and what it ate.`;
      if (number % 3 === 0) return callAt(daemon.url, apiKey, '/v1/memories', { body: { content } });
      if (number % 3 === 1) return callAt(daemon.url, apiKey, '/v1/search', { body: { query: `heron ${number}` } });
      return callAt(daemon.url, apiKey, '/v1/memories?limit=20');
    };
    const timed = async (name: string): Promise<number[]> => {
      const times: number[] = [];
      const request = requestOf(quiet, name);
      await send(QUIET_PER_SECOND, async (number) => {
        const startMs = performance.now();
        expect((await request(number)).status).toBeLessThan(300);
        times.push(performance.now() - startMs);
      });
      return times;
    };

    await timed('warm-up');
    const alone = p95(await timed('alone'));
    const statuses: Record<number, number> = {};
    const loudRequest = requestOf(loud, 'loud');
    const making = send(LOUD_PER_SECOND, async (number) => {
      const { status } = await loudRequest(number);
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    const beside = p95(await timed('beside'));
    await making;
    console.info(`p95 alone ${alone.toFixed(1)} ms, beside ${beside.toFixed(1)} ms; the loud tenant got`, statuses);
    expect(statuses[429]).toBeGreaterThan(0);
    expect(beside).toBeLessThan(Math.max(2 * alone, alone + NOISE_MS));
  },
);
