import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { buildDashboard } from '../../../scripts/build-dashboard.mjs';
import { loadDashboardFiles } from '../../../src/daemon/dashboard.ts';
import { browserTests, settled, VIEWS } from './browser.ts';

/** Marks a message as a translation changes it: its words are in brackets, its places are not. */
const marked = (message: string) =>
  message
    .split(/(\{\d+\}| \| )/)
    .map((part, at) => (at % 2 === 1 || !/\p{L}/u.test(part) ? part : `⟦${part}⟧`))
    .join('');

const folder = await mkdtemp(join(tmpdir(), 'svc-translation-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const english = JSON.parse(await readFile('src/dashboard/words/en.json', 'utf8')) as Record<string, string>;
const words = Object.fromEntries(Object.keys(english).map((message) => [message, marked(message)]));
await writeFile(join(folder, 'de.json'), JSON.stringify(words));
await buildDashboard(join(folder, 'built'), { words: folder });
const browser = browserTests({
  config: { defaultTier: 'Enterprise' },
  dashboardFiles: await loadDashboardFiles(join(folder, 'built')),
});

const MEMORIES = Array.from({ length: 12 }, (_, index) => ({
  content: `⟦Ada closes office ${index} at six⟧`,
  tags: ['⟦office⟧', index % 2 === 0 ? '⟦even⟧' : '⟦odd⟧'],
}));

/** Names of months and days in German, which the browser says. */
const DAYS = (['long', 'short'] as const).flatMap((length) =>
  [{ month: length }, { weekday: length }].flatMap((options) => {
    const format = new Intl.DateTimeFormat('de', { ...options, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, at) => format.format(Date.UTC(2026, at, at + 1)).replace(/\.$/, ''));
  }),
);
const DATES = new RegExp(DAYS.map((name) => `(?<!\\p{L})${name}(?!\\p{L})`).join('|'), 'gu');

/** What no translation changes: addresses, amounts, and names of programs, plans and formats. */
const NAMES =
  /^(?:\S+@example\.com|[\d., ]*(?:KiB|MiB)|node|(?:Claude|VS|Gemini|Copilot) \w+|Cursor|Codex|Windsurf|Zed|JSON|curl|Chrome on Linux|Enterprise|REST|MCP)$/;

/** Texts and labels with letters outside of the brackets. */
async function unsaid(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement!;
      if (element.closest('code, kbd, pre, time, script, style, noscript')) continue;
      if (node !== element) texts.push(node.textContent!);
      else texts.push(...['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''));
    }
    return texts;
  });
  const rest = found.map((text) =>
    text
      .replace(/⟦[^⟦⟧]*⟧/g, ' ')
      .replace(DATES, '')
      .trim(),
  );
  return [...new Set(rest)].filter((text) => /\p{L}{2}/u.test(text) && !NAMES.test(text));
}

test.each([
  ['empty', []],
  ['with memories', MEMORIES],
])('a translation says every word of every view, %s', { timeout: 180_000 }, async (_, memories) => {
  const { page, consoleErrors } = await browser.openApp('', { locale: 'de-DE' }, memories);
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  await settled(page);
  for (const view of VIEWS) {
    await browser.show(page, view);
    expect(await unsaid(page), view).toEqual([]);
  }
  expect(consoleErrors).toEqual([]);
});

test('a translation says what is done to a memory', { timeout: 120_000 }, async () => {
  const { page } = await browser.openApp('memories', { locale: 'de-DE' }, MEMORIES);
  await page.getByText('office 3 at six').click();
  await page.getByRole('button', { name: 'Correct' }).waitFor();
  expect(await unsaid(page)).toEqual([]);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  expect(await unsaid(page)).toEqual([]);
});

test('a translation that changes nothing is the same program', { timeout: 60_000 }, async () => {
  const same = join(folder, 'same');
  await mkdir(same);
  await writeFile(join(same, 'xx.json'), JSON.stringify(english));
  const { app, assets, translations } = await buildDashboard(join(folder, 'twice'), { words: same });
  // Pieces of a text that stand beside one another may become one.
  const scriptsOf = ({ outputs }: typeof app) =>
    Promise.all(
      Object.keys(outputs)
        .filter((path) => path.endsWith('.js'))
        .map(async (path) => {
          const script = await readFile(join(assets, basename(path)), 'utf8');
          return script
            .replaceAll(/-[0-9A-Z]{8}\.js/g, '')
            .replaceAll('"," "', ' "')
            .replaceAll('","', '');
        }),
    );
  const asWritten = await scriptsOf(app);
  const translated = await scriptsOf(translations.xx!);
  expect(translated.length).toBeGreaterThan(VIEWS.length);
  expect(translated.filter((script) => !asWritten.includes(script)).map((script) => script.slice(0, 500))).toEqual([]);
});

test('a browser that prefers English, or a language without a translation, gets English', async () => {
  const languageFor = async (accepted: string) => {
    const answer = await fetch(`${browser.daemon.baseUrl}/dashboard`, { headers: { 'accept-language': accepted } });
    expect(answer.headers.get('vary')).toContain('accept-language');
    return /<html lang="(\w+)">/.exec(await answer.text())![1];
  };
  expect(await languageFor('de-AT,de;q=0.9,en;q=0.8')).toBe('de');
  expect(await languageFor('en-GB,en;q=0.9,de;q=0.8')).toBe('en');
  expect(await languageFor('de;q=0.3, EN;q=0.4')).toBe('en');
  expect(await languageFor('de;q=0, ja')).toBe('en');
  expect(await languageFor('')).toBe('en');
  expect(await languageFor('*')).toBe('en');
});
