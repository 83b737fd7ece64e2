import { expect, test } from 'vitest';
import { readAnswer } from '../../../src/features/learning/answer-uses.ts';

test.each([
  ['Chinese', '今天我们在图书馆里讨论了新的计划'],
  ['Thai', 'วันนี้เราคุยกันเรื่องแผนใหม่ในห้องสมุด'],
  ['emoji', '🍎🍐🍊🍋🍌'],
])('reads a long answer in %s in many small steps', (_, unit) => {
  const answer = unit.repeat(16_000 / unit.length);
  let steps = 0;
  for (const _step of readAnswer(answer)) steps += 1;
  // Splitting it into terms takes two dozen; so many more look at the terms.
  expect(steps).toBeGreaterThan(100);
});
