import { expect, test } from 'vitest';
import { usesInAnswer } from '../../../src/features/learning/answer-uses.ts';

test.each([
  ['Chinese', '今天我们在图书馆里讨论了新的计划'],
  ['Thai', 'วันนี้เราคุยกันเรื่องแผนใหม่ในห้องสมุด'],
  ['emoji', '🍎🍐🍊🍋🍌'],
])('compares a long answer in %s in many small steps', (_, unit) => {
  const answer = unit.repeat(16_000 / unit.length);
  let steps = 0;
  for (const _step of usesInAnswer({ asked: '', answer }, [])) steps += 1;
  // Splitting it into terms takes two dozen; so many more look at the terms.
  expect(steps).toBeGreaterThan(100);
});

test.each([
  ['closing signs', `${'!'.repeat(999)}x`],
  ['opening signs', `${'('.repeat(999)}x`],
  ['dots', 'a.'.repeat(500)],
  ['capitals', 'A'.repeat(1000)],
])('compares texts of %s within milliseconds', (_, text) => {
  const given = Array.from({ length: 20 }, (_given, index) => ({ id: `mem_${index}`, text }));
  const startMs = performance.now();
  for (const _step of usesInAnswer({ asked: text, answer: text.repeat(16) }, given));
  expect(performance.now() - startMs).toBeLessThan(200);
});
