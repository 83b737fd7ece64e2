/** A symmetric matrix: its diagonal, and the rest of its lower triangle row by row. */
export interface SymmetricMatrix {
  diagonal: ArrayLike<number>;
  below: ArrayLike<number>;
}

/** The number of entries below the diagonal of a matrix of this width. */
export const entriesBelow = (width: number): number => (width * (width - 1)) / 2;

/** Where `below` holds an entry; `column` is less than `row`. */
export const indexBelow = (row: number, column: number): number => entriesBelow(row) + column;

/** Solves a linear system by Cholesky's method. Returns `undefined` where the matrix is not positive definite. */
export function solveSymmetric(matrix: SymmetricMatrix, right: ArrayLike<number>): Float64Array | undefined {
  const width = right.length;
  const below = Float64Array.from(matrix.below);
  const diagonal = Float64Array.from(matrix.diagonal);
  const solution = Float64Array.from(right);
  for (let row = 0; row < width; row += 1) {
    const start = entriesBelow(row);
    for (let column = 0; column < row; column += 1) {
      const other = entriesBelow(column);
      let entry = below[start + column]!;
      for (let at = 0; at < column; at += 1) entry -= below[start + at]! * below[other + at]!;
      entry /= diagonal[column]!;
      below[start + column] = entry;
      diagonal[row]! -= entry * entry;
      solution[row]! -= entry * solution[column]!;
    }
    if (!(diagonal[row]! > 0)) return undefined;
    diagonal[row] = Math.sqrt(diagonal[row]!);
    solution[row]! /= diagonal[row]!;
  }
  for (let row = width - 1; row >= 0; row -= 1) {
    solution[row]! /= diagonal[row]!;
    for (let column = 0; column < row; column += 1) {
      solution[column]! -= below[indexBelow(row, column)]! * solution[row]!;
    }
  }
  return solution;
}
