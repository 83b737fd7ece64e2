import { expect, test } from 'vitest';
import { redactionShares } from './redaction-shares.ts';

test('masks at least 95 % of credentials of each sort and in each context, and at most 1 % of harmless texts', () => {
  const { masked, changed } = redactionShares(17);
  expect(masked.filter(({ share }) => share < 0.95)).toEqual([]);
  expect(masked.map(({ name }) => name)).toEqual(expect.arrayContaining(['sort: password', 'context: cut off', 'all']));
  expect(changed.share).toBeLessThanOrEqual(0.01);
  expect(changed.count).toBeGreaterThanOrEqual(3000);
});
