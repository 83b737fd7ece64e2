import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesOfJson, stringifyInSteps } from '../../src/lib/json-in-steps.ts';
import { finish } from '../../src/lib/time-slices.ts';

const large = {
  list: Array.from({ length: 5000 }, (_, index) => ({ [`name${index}`]: index })),
  empty: [],
  none: null,
};

test('is what JSON.stringify returns', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const wide = { absent: undefined, value, large: { ...large, value, absent: undefined } };
      expect(finish(stringifyInSteps(wide))).toBe(JSON.stringify(wide));
      expect(finish(stringifyInSteps(value))).toBe(JSON.stringify(value));
    }),
    { numRuns: 30 },
  );
});

test('comes in pieces of a few kilobytes', () => {
  const pieces = [...piecesOfJson({ ...large, text: 'a'.repeat(7000) })];
  expect(pieces.length).toBeGreaterThan(1000);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(9000);
});
