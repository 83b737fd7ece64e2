import { expect, test } from 'vitest';
import { createTransferLimiter } from '../../../src/features/portability/concurrency.ts';

test('so many go on at once, one a tenant, and each end makes room', () => {
  const slots = createTransferLimiter(2, 'export');
  const release = slots.take('a');
  expect(() => slots.take('a')).toThrow('Another export of this account');
  slots.take('b');
  expect(() => slots.take('c')).toThrow('Too many exports');
  release();
  expect(() => slots.take('c')).not.toThrow();
  expect(() => slots.take('a')).toThrow('Too many exports');
});
