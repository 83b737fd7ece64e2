import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entriesBelow, indexBelow, solveSymmetric } from '../../../src/features/learning/symmetric-matrix.ts';

const WIDTH = 5;
const numbers = (length: number) =>
  fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: length, maxLength: length });

test('the solution of a positive definite system satisfies it', () => {
  fc.assert(
    fc.property(numbers(WIDTH * WIDTH), numbers(WIDTH), (factor, right) => {
      // F Fᵀ + I is positive definite for any F.
      const entry = (row: number, column: number) =>
        Array.from({ length: WIDTH }, (_, at) => factor[row * WIDTH + at]! * factor[column * WIDTH + at]!).reduce(
          (sum, product) => sum + product,
          row === column ? 1 : 0,
        );
      const diagonal = Array.from({ length: WIDTH }, (_, row) => entry(row, row));
      const below = new Float64Array(entriesBelow(WIDTH));
      for (let row = 1; row < WIDTH; row += 1) {
        for (let column = 0; column < row; column += 1) below[indexBelow(row, column)] = entry(row, column);
      }
      const solution = solveSymmetric({ diagonal, below }, right)!;
      for (const [row, value] of right.entries()) {
        expect(solution.reduce((sum, one, column) => sum + one * entry(row, column), 0)).toBeCloseTo(value, 6);
      }
    }),
  );
});

test('a matrix that is not positive definite has no solution', () => {
  expect(solveSymmetric({ diagonal: [1, 1], below: [2] }, [1, 1])).toBeUndefined();
  expect(solveSymmetric({ diagonal: [1, 0], below: [0] }, [1, 1])).toBeUndefined();
  expect(solveSymmetric({ diagonal: [1, Number.NaN], below: [0] }, [1, 1])).toBeUndefined();
});
