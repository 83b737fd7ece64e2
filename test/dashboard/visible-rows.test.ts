import { describe, expect, test } from 'vitest';
import { visibleRows } from '../../src/dashboard/parts/visible-rows.ts';

const LIST = { height: 800, rowHeight: 40, total: 10_000 };

describe('the visible rows of a list', () => {
  test('start at the first row above the list', () => {
    expect(visibleRows({ ...LIST, top: -300 })).toEqual({ first: 0, end: 25 });
  });

  test('cover what is visible and a margin, however long the list is', () => {
    const { first, end } = visibleRows({ ...LIST, top: 200_000 });
    expect(first).toBeLessThanOrEqual(5000);
    expect(end).toBeGreaterThanOrEqual(5020);
    expect(end - first).toBeLessThan(60);
  });

  test('end with the last row', () => {
    expect(visibleRows({ ...LIST, top: 10_000 * 40 - 400 }).end).toBe(10_000);
    expect(visibleRows({ ...LIST, top: 0, total: 3 })).toEqual({ first: 0, end: 3 });
    expect(visibleRows({ ...LIST, top: 0, total: 0 })).toEqual({ first: 0, end: 0 });
  });
});
