import { expect, test } from 'vitest';
import { createTransferLimiter } from '../../../src/features/portability/concurrency.ts';

test('a transfer limiter bounds concurrent transfers, allows one per tenant, and reuses released slots', () => {
  const limiter = createTransferLimiter(2, 'export');
  const release = limiter.acquire('a');
  expect(() => limiter.acquire('a')).toThrow('Another export of this account');
  limiter.acquire('b');
  expect(() => limiter.acquire('c')).toThrow('Too many exports');
  release();
  expect(() => limiter.acquire('c')).not.toThrow();
  expect(() => limiter.acquire('a')).toThrow('Too many exports');
});
