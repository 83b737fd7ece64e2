import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meaningWeightOf, totalOf } from '../../../src/features/learning/model-agreement.ts';

const weightAfter = (...shares: number[]) => meaningWeightOf(totalOf(shares));
const times = (count: number, share: number) => Array<number>(count).fill(share);

test('a model counts as usual until ten searches have judged it', () => {
  expect(weightAfter()).toEqual({ factor: 1, agreement: null, searches: 0 });
  expect(weightAfter(...times(9, 0))).toMatchObject({ factor: 1, agreement: 0, searches: 9 });
  expect(weightAfter(...times(10, 0)).factor).toBeLessThan(1);
});

test('noise counts for nothing, a model as expected as usual, and a better one no more than that', () => {
  expect(weightAfter(...times(200, 0.5)).factor).toBe(0);
  expect(weightAfter(...times(200, 0.65)).factor).toBe(1);
  expect(weightAfter(...times(200, 0.9)).factor).toBe(1);
});

test('the factor stays between 0 and 1, and a better search never lowers it', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(share, { maxLength: 60 }), share, share, (before, one, other) => {
      const [worse, better] = [one, other].sort((a, b) => a - b).map((last) => weightAfter(...before, last!).factor);
      expect(worse).toBeGreaterThanOrEqual(0);
      expect(better).toBeGreaterThanOrEqual(worse!);
      expect(better).toBeLessThanOrEqual(1);
    }),
  );
});

test('newer searches displace older ones', () => {
  expect(weightAfter(...times(2000, 1), ...times(2000, 0))).toMatchObject({ factor: 0, searches: 400 });
});
