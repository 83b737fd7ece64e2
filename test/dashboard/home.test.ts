import { expect, test } from 'vitest';
import type { Memory } from '../../src/client/client.ts';
import { weekOf } from '../../src/dashboard/views/home/week.ts';

const NOW_MS = Date.UTC(2026, 10, 25, 12);
const daysAgo = (days: number) => new Date(NOW_MS - days * 86_400_000).toISOString();
const memory = (id: string, updated: number, created: number, given: Partial<Memory> = {}) =>
  ({
    ...{ id, updatedAt: daysAgo(updated), createdAt: daysAgo(created), validTo: null, version: 1 },
    ...given,
  }) as Memory;

test('a week tells what was added, corrected and replaced, by day, and nothing older', () => {
  const week = weekOf(
    [
      memory('new', 0, 0),
      memory('new, then edited', 0.1, 2, { version: 2 }),
      memory('corrected', 1, 40, { version: 3 }),
      memory('replaced', 1.1, 40, { validTo: daysAgo(1.1) }),
      memory('came and went', 1.2, 2, { validTo: daysAgo(1.2) }),
      memory('older', 8, 8),
    ],
    NOW_MS,
    (epochMs) => new Date(epochMs).toISOString().slice(8, 10),
  );
  expect(week.counts).toEqual({ added: 3, corrected: 1, replaced: 2 });
  expect(week.days.map(({ title, changes }) => [title, changes.map(({ memory: { id } }) => id)])).toEqual([
    ['25', ['new', 'new, then edited']],
    ['24', ['corrected', 'replaced', 'came and went']],
  ]);
});
