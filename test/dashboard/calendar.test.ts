import { describe, expect, test } from 'vitest';
import { calendarOf, lastDays } from '../../src/dashboard/plots/calendar.ts';

const NOW = Date.parse('2026-11-22T15:00:00Z');

describe('a calendar of days', () => {
  test('ends today and starts on a Monday', () => {
    const days = calendarOf(new Map(), NOW, 53);
    expect(days.at(-1)).toMatchObject({ day: '2026-11-22', column: 52, row: 6 });
    expect(days[0]).toMatchObject({ column: 0, row: 0 });
    expect(new Date(`${days[0]!.day}T00:00:00Z`).getUTCDay()).toBe(1);
    expect(days).toHaveLength(53 * 7);
  });

  test('gives days without a count level 0 and spreads the others by quartiles', () => {
    const counts = new Map([1, 2, 3, 4].map((count) => [`2026-11-0${count}`, count]));
    const levels = new Map(calendarOf(counts, NOW, 53).map(({ day, level }) => [day, level]));
    expect([1, 2, 3, 4, 5].map((day) => levels.get(`2026-11-0${day}`))).toEqual([1, 2, 3, 4, 0]);
  });

  test('gives the only day with a count the highest level', () => {
    const days = calendarOf(new Map([['2026-11-20', 7]]), NOW, 2);
    expect(days.find(({ day }) => day === '2026-11-20')?.level).toBe(4);
  });
});

test('the last days are counted up to today, oldest first, with zeros between', () => {
  const counts = new Map([
    ['2026-11-20', 3],
    ['2026-11-22', 5],
    ['2026-10-01', 9],
  ]);
  expect(lastDays(counts, NOW, 4)).toEqual([0, 3, 0, 5]);
});
