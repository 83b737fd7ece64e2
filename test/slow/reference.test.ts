import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserTests, fits, type OpenPage } from './web/browser.ts';

const web = browserTests();

async function openReference(options: BrowserContextOptions = {}, fragment = ''): Promise<OpenPage> {
  const opened = await web.open(options);
  await opened.page.goto(`${web.daemon.baseUrl}/docs${fragment}`);
  return opened;
}

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search the reference' });
const contents = (page: Page) => page.getByRole('navigation', { name: 'Contents' }).locator('ul ul a:visible');
const section = (page: Page, id: string) => page.locator(`[id="${id}"]`);
const sample = (page: Page, id: string) => section(page, id).locator('.sample:visible');
const openDetails = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
const inView = (page: Page, id: string) => {
  return page.evaluate((name) => {
    const { top } = document.getElementById(name)!.getBoundingClientRect();
    return top >= -1 && top < innerHeight / 2;
  }, id);
};

describe('the API reference', { timeout: 120_000 }, () => {
  test('does not violate its content security policy, which blocks a foreign script', async () => {
    const { page, consoleErrors } = await openReference();
    await field(page).fill('memory');
    await section(page, 'search.query').getByLabel('JavaScript').check({ force: true });
    expect(consoleErrors).toEqual([]);
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.src = 'https://foreign.example/script.js';
      document.body.append(script);
    });
    await expect.poll(() => consoleErrors.some((text) => text.startsWith('policy: script-src'))).toBe(true);
  });

  test('is searched with the keyboard alone', async () => {
    const { page } = await openReference();
    const total = await contents(page).count();
    await page.keyboard.press('/');
    await page.keyboard.type('supersede');
    await expect.poll(() => page.locator('#search-status').textContent()).toMatch(/^\d+ matches$/);
    expect(await contents(page).count()).toBeLessThan(total);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const id = decodeURIComponent(new URL(page.url()).hash.slice(1));
    expect(await inView(page, id)).toBe(true);

    await page.keyboard.press('Control+k');
    expect(await field(page).evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type('append messages');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#conversations.messages.append');
    await expect.poll(() => inView(page, 'conversations.messages.append')).toBe(true);
    await page.keyboard.press('Escape');
    expect([await field(page).inputValue(), await contents(page).count()]).toEqual(['', total]);
    await page.keyboard.type('no such operation');
    await expect.poll(() => page.locator('#search-status').textContent()).toBe('Nothing matches');
  });

  test('shows the chosen kind of sample everywhere, also after a reload', async () => {
    const { page } = await openReference({}, '#memories.create');
    const create = section(page, 'memories.create');
    await create.getByLabel('curl').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await sample(page, 'memories.create').textContent()).toContain('"memory_add"');
    expect(await sample(page, 'search.query').textContent()).toContain('"memory_search"');
    // No tool does this.
    expect(await sample(page, 'account.get').textContent()).toContain(`curl ${web.daemon.baseUrl}/v1/account`);
    await page.reload();
    expect(await sample(page, 'memories.create').textContent()).toContain('"memory_add"');
    expect(await inView(page, 'memories.create')).toBe(true);
    await create.getByLabel('JavaScript').check({ force: true });
    expect(await sample(page, 'account.get').textContent()).toContain('await svc.account.get()');
  });

  test('has the theme that was chosen in the web app', async () => {
    const { page } = await openReference({ colorScheme: 'light' });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.evaluate(() => localStorage.setItem('svc.theme', 'dark'));
    await page.reload();
    expect(await ground()).not.toBe(light);
  });

  test('copies a sample with the address of the daemon', async () => {
    const { page } = await openReference({ permissions: ['clipboard-read', 'clipboard-write'] });
    await section(page, 'account.get').getByRole('button', { name: 'Copy' }).first().click();
    await section(page, 'account.get').getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`curl ${web.daemon.baseUrl}/v1/account \\\n  -H "Authorization: Bearer $SVC_API_KEY"`);
  });

  test('marks the operation being read in the contents', async () => {
    const { page } = await openReference({}, '#episodes.update');
    const current = page.locator('nav a[aria-current]');
    await expect.poll(() => current.getAttribute('href')).toBe('#episodes.update');
    expect(await current.isVisible()).toBe(true);
  });

  test('hides the contents behind a menu on narrow screens', async () => {
    const { page } = await openReference({ viewport: { width: 390, height: 844 } });
    const menu = page.locator('#menu');
    expect(await contents(page).count()).toBe(0);
    await menu.click();
    await page.getByRole('link', { name: 'GET List memories', exact: true }).click();
    expect([await menu.getAttribute('aria-expanded'), await contents(page).count()]).toEqual(['false', 0]);
    await expect.poll(() => inView(page, 'memories.list')).toBe(true);
    await menu.click();
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
  });

  test('is readable without JavaScript', async () => {
    const { page } = await openReference({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    expect(await contents(page).count()).toBeGreaterThan(50);
    expect(await field(page).isVisible()).toBe(false);
    await section(page, 'search.query').getByLabel('MCP').check({ force: true });
    expect(await sample(page, 'search.query').textContent()).toContain('"memory_search"');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    const width = { light: 390, dark: 1440 }[colorScheme];
    test(`has no accessibility violations at ${width} pixels in ${colorScheme} mode with every detail open`, async () => {
      const { page } = await openReference({ colorScheme, viewport: { width, height: 844 } });
      await openDetails(page);
      expect(await web.axe(page)).toEqual([]);
    });
  }

  test('does not overflow at any width, in light or dark mode, with every detail open', async () => {
    const { page } = await openReference();
    await openDetails(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 360, 800, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await fits(page), `${width} pixels, ${colorScheme}`).toBe(true);
      }
    }
  });
});
