import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { nextSlice, runInSlices } from '../../src/lib/time-slices.ts';

/** Counts turns of the event loop while `work` runs. */
async function turnsDuring<T>(work: Promise<T>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => {
    isDone = true;
  });
  return turns;
}

let nowMs = 0;

beforeEach(() => {
  vi.spyOn(systemClock, 'monotonicMs').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Work whose steps take half a millisecond each. */
function* busy<T>(steps: number, result: T): Generator<void, T> {
  for (let step = 0; step < steps; step += 1) {
    nowMs += 0.5;
    yield;
  }
  return result;
}

describe('work in slices', () => {
  test('returns what the generator returns', async () => {
    expect(await runInSlices(busy(0, 'short'), 'one')).toBe('short');
    expect(await runInSlices(busy(30, 'long'), 'one')).toBe('long');
  });

  test('lets the event loop turn in between', async () => {
    expect(await turnsDuring(runInSlices(busy(100, undefined), 'one'))).toBeGreaterThan(5);
  });

  test('takes turns with the work of other tenants, so that the shorter ends first', async () => {
    const ended: string[] = [];
    const run = async (name: string, steps: number) => ended.push(await runInSlices(busy(steps, name), name));
    await Promise.all([run('long', 200), run('longer', 300), run('short', 20)]);
    expect(ended).toEqual(['short', 'long', 'longer']);
  });

  test('runs one after the other for the same tenant, however short', async () => {
    const ended: string[] = [];
    const run = async (name: string, steps: number) => ended.push(await runInSlices(busy(steps, name), 'one'));
    await Promise.all([run('first', 100), run('second', 60), run('third', 0)]);
    expect(ended).toEqual(['first', 'second', 'third']);
  });

  test('of a tenant with a hundred pieces leaves every other slice to another tenant', async () => {
    const ended: string[] = [];
    const run = async (tenant: string) => ended.push(await runInSlices(busy(20, tenant), tenant));
    await Promise.all([...Array.from({ length: 100 }, () => run('loud')), run('quiet')]);
    expect(ended.indexOf('quiet')).toBeLessThan(5);
  });

  test('that cannot be divided waits for a slice behind the work of its tenant', async () => {
    const ended: string[] = [];
    const first = runInSlices(busy(60, 'first'), 'one').then((name) => ended.push(name));
    const whole = nextSlice('one').then(() => ended.push('whole'));
    const other = nextSlice('other').then(() => ended.push('other'));
    await Promise.all([first, whole, other]);
    expect(ended).toEqual(['other', 'first', 'whole']);
  });

  test('runs urgent work ahead of everything else', async () => {
    const ended: string[] = [];
    const others = Array.from({ length: 10 }, async () => ended.push(await runInSlices(busy(40, 'other'), 'other')));
    const urgent = runInSlices(busy(40, 'urgent'), 'urgent').then((name) => ended.push(name));
    await Promise.all([...others, urgent]);
    expect(ended[0]).toBe('urgent');
  });

  test('passes on the error of a step', async () => {
    function* broken(): Generator<void, void> {
      yield* busy(20, undefined);
      throw new Error('broken');
    }
    await expect(runInSlices(broken(), 'one')).rejects.toThrow('broken');
    expect(await runInSlices(busy(20, 'next'), 'one')).toBe('next');
  });
});
