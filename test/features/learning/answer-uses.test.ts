import { expect, test } from 'vitest';
import { readAnswer, usesInAnswer } from '../../../src/features/learning/answer-uses.ts';
import { finish } from '../../../src/lib/time-slices.ts';

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

const GIVEN = [
  { id: 'mem_1', marker: 1, text: 'The greenhouse door sticks when it rains' },
  { id: 'mem_2', marker: 2, text: 'The shed is locked with the brass key' },
];
const used = (answer: string) => finish(usesInAnswer(finish(readAnswer(answer)), 'Why is it so hard to open?', GIVEN));

test.each([
  ['cites its number and says some of it', 'Rain swells the wood of the door [1].', ['mem_1']],
  ['says only some of it', 'Rain swells the wood of the door.', []],
  ['cites its number and says nothing about it', 'Damp wood swells [1].', []],
  ['has the number in code', 'Rain swells the wood of the door, see `doors[1]` and:\n```\nopen [1]\n```', []],
  ['has the number as an index or a link', 'Rain swells the door: parts[1], [1](https://example.com), [1]: note', []],
  ['names its id', 'See mem_2.', ['mem_2']],
])('an answer that %s', (_, answer, expected) => {
  expect(used(answer)).toEqual(expected);
});
