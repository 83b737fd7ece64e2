import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inOtherWords, wordsOf, wordsOfPages } from '../../scripts/page-words.mjs';

const WORDS = 'src/dashboard/words';

const readWords = async (file: string) =>
  JSON.parse(await readFile(join(WORDS, file), 'utf8')) as Record<string, string>;
const saidIn = (source: string) => wordsOf(source, 'view.tsx').map(({ message }) => message);
const inGerman = (source: string, words: Record<string, string>) =>
  inOtherWords(source, 'view.tsx', (message) => words[message] ?? message);

test('the words are those of the sources (npm run words)', async () => {
  const words = await wordsOfPages('src/dashboard');
  expect(await readWords('en.json')).toEqual(Object.fromEntries(words.map((message) => [message, message])));
});

test('a translation says what English says, with the same places', async () => {
  const english = Object.keys(await readWords('en.json'));
  const placesIn = (message: string) => message.match(/\{\d+\}/g)?.sort() ?? [];
  for (const file of await readdir(WORDS)) {
    const translation = await readWords(file);
    expect(english, file).toEqual(expect.arrayContaining(Object.keys(translation)));
    for (const [message, said] of Object.entries(translation)) expect(placesIn(said), said).toEqual(placesIn(message));
  }
});

test('a sentence is one message, with places for what changes in it', () => {
  const source = `<p>
    Added <b>{count} memories</b> to {name}.{' '}
    <a href="/x" title="Look at it">Show them</a>
  </p>`;
  expect(saidIn(source)).toEqual(['Added {0} to {1}. {2}', '{0} memories', 'Show them', 'Look at it']);
  const german = inGerman(source, { 'Added {0} to {1}. {2}': 'Zu {1} kamen {0}. {2}', 'Show them': 'Zeigen' });
  expect(german).toBe(
    '<p>{"Zu "}{name}{" kamen "}<b>{count}{" memories"}</b>{". "}<a href="/x" title={"Look at it"}>{"Zeigen"}</a></p>',
  );
});

test('counted nouns are translated in as many forms as the language has', () => {
  const source = 'const text = formatCount(count, "memory", "memories");';
  expect(saidIn(source)).toEqual(['memory | memories']);
  expect(inGerman(source, { 'memory | memories': 'wspomnienie | wspomnienia | wspomnień' })).toBe(
    'const text = formatCount(count, "wspomnienie", "wspomnienia", "wspomnień");',
  );
});

test('templates keep what stands in them, wherever a translation puts it', () => {
  const template = (written: string) => `const text = \`${written.replaceAll('<', '${').replaceAll('>', '}')}\`;`;
  expect(inGerman(template('Moved <from(`x`)> to “<to>”.'), { 'Moved {0} to “{1}”.': 'Nach `{1}` kam {0}: $' })).toBe(
    template('Nach \\`<to>\\` kam <from(`x`)>: \\$'),
  );
});

test.each([
  ['names of classes and kinds', '<li class={isOpen ? "row is-open wide" : "row"} role="option" data-kind="Fact" />'],
  ['what is typed', '<p><code>svc login now</code></p>'],
  ['what is compared', 'if (event.key === "Page Down" && name !== "Not Said") run();'],
  [
    'methods, selectors and keys',
    'call("GET /v1/memories"); page.querySelector("main > p, main a"); const a = { "Two words": 1 };',
  ],
  ['types and imports', 'import { a } from "./Some File.ts"; type B = "Some words" | "Other words";'],
])('%s are not words', (_, source) => {
  expect(saidIn(source)).toEqual([]);
});
