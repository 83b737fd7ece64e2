import { expect, test, vi } from 'vitest';
import { createRecordCheck } from '../../../src/features/portability/record-check.ts';
import { finish } from '../../../src/lib/time-slices.ts';

const memory = { content: 'Tea' };
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, 1]));

test('a record is checked in a step after each of its unknown fields', () => {
  const check = createRecordCheck();
  const onUnknown = vi.fn();
  const record = { ...unknown(20), ...memory };
  expect([...check('new', record, onUnknown)].length).toBeGreaterThanOrEqual(20);
  expect(onUnknown).toHaveBeenCalledTimes(20);
  expect(record).toEqual(memory);
});

test('a record with more than 64 unknown fields is refused', () => {
  const record = { ...unknown(65), ...memory };
  expect(finish(createRecordCheck()('new', record, () => {}))).toEqual({
    reason: 'has an unknown field: unknown64',
    fault: true,
  });
});
