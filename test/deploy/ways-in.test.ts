import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { linkedText, linksIn } from '../helpers/linked-text.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGE = new URL('docs/doors.md', ROOT);
const MAX_LINES = 40;

interface Row {
  name: string;
  cells: string[];
  links: URL[];
}

const textOf = (url: URL) => readFile(url, 'utf8');

let rows: Row[] = [];

beforeAll(async () => {
  const [table = ''] = /^\| way in \|(?:.*\n)+?(?=\n)/m.exec(await textOf(PAGE)) ?? [];
  rows = table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const links = linksIn(line).map((target) => new URL(target, PAGE));
      return { name: cells[1] ?? '', cells: cells.slice(1, -1), links };
    });
});

test('every way in says how it is used, what it was tested with, and what was not tried', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const { name, cells } of rows) {
    expect(cells, name).toHaveLength(5);
    expect(
      cells.filter((cell) => cell === ''),
      name,
    ).toEqual([]);
  }
});

test(`every page or section that a way in links to has at most ${MAX_LINES} lines`, async () => {
  const pages = rows.flatMap(({ links }) => links).filter(({ pathname }) => pathname.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(20);
  for (const page of pages) {
    const { length } = (await linkedText(page)).split('\n');
    expect(length, `${page.pathname.slice(ROOT.pathname.length)}${page.hash}`).toBeLessThanOrEqual(MAX_LINES);
  }
});

test('every example belongs to a way in', async () => {
  const linked = rows.flatMap(({ links }) => links).map(({ href }) => href);
  const examples = new URL('examples/', ROOT);
  const names = (await readdir(examples)).filter((name) => name !== 'README.md');
  expect(names.filter((name) => !linked.includes(new URL(name, examples).href))).toEqual([]);
});

test('every adapter has at most 200 lines', async () => {
  const root = fileURLToPath(ROOT);
  const python = ['hermes', 'langgraph', 'langgraph_items'].map((name) => `clients/python/src/svc_memory/${name}.py`);
  const names = (await readdir(`${root}src/client`, { recursive: true })).filter((name) => name.endsWith('.ts'));
  expect(names.length).toBeGreaterThan(20);
  for (const path of [...names.map((name) => `src/client/${name}`), ...python]) {
    const lines = (await readFile(root + path, 'utf8')).trimEnd().split('\n');
    expect(lines.length, path).toBeLessThanOrEqual(200);
  }
});

test('the versions of packages are those that the tests use', async () => {
  const manifest = JSON.parse(await textOf(new URL('package.json', ROOT)));
  const folders = ['test/slow/', 'test/helpers/'].map((path) => new URL(path, ROOT));
  const files = await Promise.all(
    folders.map(async (folder) => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
      return Promise.all(names.map((name) => textOf(new URL(name, folder))));
    }),
  );
  const installed = [...files.flat(), await textOf(new URL('clients/python/pyproject.toml', ROOT))].join('\n');
  const named = rows.flatMap(({ cells }) => [...cells[2]!.matchAll(/`([^`]+)` (\d[\d.]*\d)/g)]);
  expect(named.length).toBeGreaterThan(10);
  for (const [text, name = '', version = ''] of named) {
    const pins = [`${name}@${version}`, `'${name}': '${version}'`, `"${name}>=${version}`];
    if (!pins.some((pin) => installed.includes(pin))) expect(manifest.devDependencies[name], text).toBe(version);
  }
});
