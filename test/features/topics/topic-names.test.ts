import { expect, test } from 'vitest';
import { nameKeyOf, topicNamesIn } from '../../../src/features/topics/topic-names.ts';
import { createWords } from '../../../src/features/words/words.ts';
import { finish } from '../../../src/lib/time-slices.ts';

const table = await createWords().table();

test.each([
  ['Unsere Doku steht in BookStack und ich habe keine Lust', ['BookStack']],
  ['mein Freund Timo klettert viel', ['Timo']],
  ['ich arbeite auf der Intensiv im Klinikum Fürth', ['Klinikum Fürth']],
  ['Die Wunschpläne müssen mit dem Dienstplan raus', []],
  ['mon fournisseur de reblochon est la ferme Missillier', ['Missillier']],
  ['mi hija Ane cumple años el 9 de noviembre', ['Ane']],
  ['Il tractor è un John Deere e basta', ['John Deere']],
  ['我平时画图主要用 Clip Studio', ['Clip Studio']],
  ['i dont like that', []],
])('the certain names in %s', (content, names) => {
  const found = finish(topicNamesIn({ content, tags: [], project: null }, table));
  expect(found.filter(({ kind }) => kind === 'name').map(({ spelling }) => spelling)).toEqual(names);
});

test('a key is cut between characters', () => {
  expect(nameKeyOf(`a${'𠮷'.repeat(60)}`).isWellFormed()).toBe(true);
});
