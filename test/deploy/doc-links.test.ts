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

test('each decision stands once in their index, with its title, status and date', async () => {
  const folder = new URL('docs/decisions/', ROOT);
  const rows = (await readFile(new URL('README.md', folder), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const listed = rows.flatMap((row) => /\| (\[\d{4}\]\([^)]+\) .*) \|$/.exec(row)?.[1] ?? []);
  const names = (await readdir(folder)).filter((name) => /^\d/.test(name));
  const expected = names.map(async (name) => {
    const text = await readFile(new URL(name, folder), 'utf8');
    const [, title] = /^# \d+\. (.*)$/m.exec(text)!;
    const [, status, date] = /^Status: (.*?) · Date: (\S{10})/m.exec(text)!;
    const plainStatus = status!.replace(/\[(\d+)\]\([^)]*\)/g, '$1');
    return `[${name.slice(0, 4)}](${name}) ${title} | ${plainStatus} | ${date}`;
  });
  expect(listed.sort()).toEqual((await Promise.all(expected)).sort());
});
