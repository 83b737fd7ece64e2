import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTenantLanes } from '../../src/lib/tenant-lanes.ts';

test("a tenant's work runs one after the other, also after a failure, and beside that of another", async () => {
  const { run } = createTenantLanes();
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
