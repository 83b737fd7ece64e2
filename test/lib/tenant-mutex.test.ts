import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTenantMutex } from '../../src/lib/tenant-mutex.ts';

test("runs a tenant's work in order, even after a failure, and concurrently with another tenant's", async () => {
  const { run } = createTenantMutex();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await turn();
    steps.push(`${name} ends`);
    if (name === 'first') throw new Error('failed');
    return name;
  };
  const first = run('one', work('first'));
  const second = run('one', work('second'));
  const other = run('two', work('other'));
  await expect(first).rejects.toThrow('failed');
  expect(await Promise.all([second, other])).toEqual(['second', 'other']);
  expect(steps.slice(0, 2)).toEqual(['first begins', 'other begins']);
  const ofOne = ['first begins', 'first ends', 'second begins', 'second ends'];
  expect(steps.filter((step) => !step.startsWith('other'))).toEqual(ofOne);
});
