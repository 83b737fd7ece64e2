import { readdir, readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { linkedText, linksIn } from '../helpers/linked-text.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  'clients/python/',
  'clients/n8n/',
  'docs/',
  'docs/decisions/',
];
/** The page of a file on the branch that is published. */
const PUBLISHED = 'https://github.com/svc-memory/svc/blob/main/';

async function pages(): Promise<URL[]> {
  const found = PAGES.map(async (path) => {
    if (!path.endsWith('/')) return [new URL(path, ROOT)];
    const names = await readdir(new URL(path, ROOT));
    return names.filter((name) => name.endsWith('.md')).map((name) => new URL(path + name, ROOT));
  });
  return (await Promise.all(found)).flat();
}

/** Says what is wrong with a link of a page to another file, if anything is. */
async function brokenLink(page: URL, target: string): Promise<string | undefined> {
  const link = new URL(target.replace(PUBLISHED, ROOT.href), page);
  if (link.protocol !== 'file:') return;
  const file = new URL(link.pathname, link);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return;
  return linkedText(link).then(
    () => undefined,
    (error: Error) => `${page.pathname.slice(ROOT.pathname.length)}: ${target}: ${error.message}`,
  );
}

test('every link in the documentation leads to a file and a heading that exist', async () => {
  const checked = await Promise.all(
    (await pages()).map(async (page) => {
      const links = linksIn(await readFile(page, 'utf8'));
      return Promise.all(links.map((target) => brokenLink(page, target)));
    }),
  );
  expect(checked.flat().length).toBeGreaterThan(500);
  expect(checked.flat().filter((message) => message !== undefined)).toEqual([]);
});
