import { describe, expect, test } from 'vitest';
import { runInSlices } from '../../src/lib/time-slices.ts';

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

function spin(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

function* busy<T>(steps: number, result: T): Generator<void, T> {
  for (let step = 0; step < steps; step += 1) {
    spin(0.5);
    yield;
  }
  return result;
}

describe('work in slices', () => {
  test('returns what the generator returns', async () => {
    expect(await runInSlices(busy(0, 'short'))).toBe('short');
    expect(await runInSlices(busy(30, 'long'))).toBe('long');
  });

  test('lets the event loop turn in between', async () => {
    expect(await turnsDuring(runInSlices(busy(100, undefined)))).toBeGreaterThan(5);
  });

  test('takes turns with other work, so that the shorter ends first', async () => {
    const ended: string[] = [];
    const run = async (name: string, steps: number) => ended.push(await runInSlices(busy(steps, name)));
    await Promise.all([run('long', 200), run('longer', 300), run('short', 20)]);
    expect(ended).toEqual(['short', 'long', 'longer']);
  });

  test('runs urgent work ahead of everything else', async () => {
    const ended: string[] = [];
    const others = Array.from({ length: 10 }, async () => ended.push(await runInSlices(busy(40, 'other'))));
    const urgent = runInSlices(busy(40, 'urgent'), 'urgent').then((name) => ended.push(name));
    await Promise.all([...others, urgent]);
    expect(ended[0]).toBe('urgent');
  });

  test('passes on the error of a step', async () => {
    function* broken(): Generator<void, void> {
      yield* busy(20, undefined);
      throw new Error('broken');
    }
    await expect(runInSlices(broken())).rejects.toThrow('broken');
    expect(await runInSlices(busy(20, 'next'))).toBe('next');
  });
});
