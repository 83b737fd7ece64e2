import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { wordsOfPages } from './page-words.mjs';

// What the web app says, for a translation: copy it to the code of a language and change the right sides.
const folder = fileURLToPath(new URL('../src/dashboard/', import.meta.url));
const words = await wordsOfPages(folder);
await writeFile(
  `${folder}words/en.json`,
  `${JSON.stringify(Object.fromEntries(words.map((said) => [said, said])), null, 2)}\n`,
);
process.stdout.write(`${words.length} messages in src/dashboard/words/en.json\n`);
