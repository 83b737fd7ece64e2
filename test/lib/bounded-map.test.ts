import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBoundedMap } from '../../src/lib/bounded-map.ts';

type Step = { do: 'set' | 'get' | 'delete'; key: number } | { do: 'deleteWhere'; divisor: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('set', 'set', 'get', 'delete'), key: fc.nat(30) }),
    fc.record({ do: fc.constant('deleteWhere' as const), divisor: fc.integer({ min: 2, max: 7 }) }),
  ) as fc.Arbitrary<Step>,
  { maxLength: 300 },
);

function keysOf(map: { deleteWhere(look: (key: number) => boolean): void }): Set<number> {
  const keys = new Set<number>();
  map.deleteWhere((key) => {
    keys.add(key);
    return false;
  });
  return keys;
}

test('a bounded map holds what was set last of a key, no more keys than its bound, and the half used last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), steps, (max, all) => {
      const map = createBoundedMap<number, number>(max);
      const expected = new Map<number, number>();
      /** Keys in the order of their last use, those deleted since among them: a deletion brings nothing back. */
      let used: number[] = [];
      for (const [at, step] of all.entries()) {
        if (step.do === 'deleteWhere') {
          map.deleteWhere((key) => key % step.divisor === 0);
          for (const key of [...expected.keys()]) if (key % step.divisor === 0) expected.delete(key);
        } else if (step.do === 'delete') {
          const isKnown = keysOf(map).has(step.key);
          expect(map.delete(step.key)).toBe(isKnown);
          expected.delete(step.key);
        } else if (step.do === 'set') {
          map.set(step.key, at);
          expected.set(step.key, at);
        } else {
          const found = map.get(step.key);
          if (found !== undefined) expect(found).toBe(expected.get(step.key));
          else expected.delete(step.key);
        }
        if ('key' in step && expected.has(step.key)) used = [...used.filter((key) => key !== step.key), step.key];
        const keys = keysOf(map);
        expect(keys.size).toBeLessThanOrEqual(max);
        for (const key of keys) expect(expected.has(key)).toBe(true);
        for (const key of used.slice(-Math.floor(max / 2))) expect(keys.has(key)).toBe(expected.has(key));
      }
    }),
    { numRuns: 300 },
  );
});
