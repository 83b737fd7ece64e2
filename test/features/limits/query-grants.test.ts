import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createQueryGrants } from '../../../src/features/limits/usage.ts';

const DAY = '2026-01-31';

function takeAll(grants: ReturnType<typeof createQueryGrants>, tenantId: string, day = DAY): number {
  let taken = 0;
  while (grants.take(tenantId, day)) taken += 1;
  return taken;
}

test('a tenant without a grant asks the database', () => {
  expect(createQueryGrants().take('ten_1', DAY)).toBe(false);
});

test('a grant is bounded, its own tenant’s, and ends with its terms', () => {
  const grants = createQueryGrants();
  grants.renew('ten_1', DAY, 50_000);
  expect(grants.take('ten_2', DAY)).toBe(false);
  expect(grants.take('ten_1', '2026-02-01')).toBe(false);
  expect(takeAll(grants, 'ten_1')).toBe(200);
});

test('however queries are granted, the last hundred before the quota are counted exactly', () => {
  fc.assert(
    fc.property(fc.nat(1000), (quota) => {
      const grants = createQueryGrants();
      let left = quota;
      let exact = 0;
      while (left > 0) {
        left -= 1;
        exact += 1;
        grants.renew('ten_1', DAY, left);
        left -= takeAll(grants, 'ten_1');
      }
      expect(exact).toBeGreaterThanOrEqual(Math.min(100, quota));
    }),
  );
});
