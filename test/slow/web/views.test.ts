import { describe, expect, test } from 'vitest';
import { browserTests, fits, settled, VIEWS } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const MEMORIES = Array.from({ length: 40 }, (_, index) => ({
  content: `Ada noted number ${index}: the harbor office closes at six on Fridays`,
  tags: ['office', index % 2 === 0 ? 'even' : 'odd'],
  user: index % 3 === 0 ? 'grace' : 'ada',
}));

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  for (const [state, memories] of [
    ['empty', []],
    ['with memories', MEMORIES],
  ] as const) {
    test(`every view is accessible and silent, ${state}`, { timeout: 180_000 }, async () => {
      const { page, consoleErrors } = await browser.openApp('', { colorScheme }, [...memories]);
      await settled(page);
      for (const view of VIEWS) {
        await browser.show(page, view);
        expect(await browser.axe(page), view).toEqual([]);
      }
      expect(consoleErrors).toEqual([]);
    });
  }

  test('no view scrolls sideways at 360 pixels', { timeout: 120_000 }, async () => {
    const long = {
      content: `${'unbroken'.repeat(60)} https://example.com/${'path'.repeat(80)}`,
      tags: ['t'.repeat(200)],
    };
    const { page } = await browser.openApp('', { colorScheme, viewport: { width: 360, height: 740 } }, [
      long,
      ...MEMORIES,
    ]);
    await settled(page);
    for (const view of VIEWS) {
      await browser.show(page, view);
      expect(await fits(page), view).toBe(true);
    }
  });
});

test('the navigation shows every view, and the browser goes back', { timeout: 120_000 }, async () => {
  const { page } = await browser.openApp('', {}, MEMORIES);
  const navigation = page.getByRole('navigation', { name: 'Views' });
  for (const title of ['Memories', 'Conversations', 'Recall', 'Settings']) {
    await navigation.getByRole('link', { name: title }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Recall' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/recall');
});

test('the bar of a phone shows the whole name of each view', { timeout: 60_000 }, async () => {
  const { page } = await browser.openApp('', { viewport: { width: 375, height: 740 } });
  const cut = () =>
    page
      .getByRole('navigation', { name: 'Views' })
      .locator('li span')
      .evaluateAll((names) =>
        names.filter((name) => name.scrollWidth > name.clientWidth).map(({ textContent }) => textContent),
      );
  expect(await cut()).toEqual([]);
  await page.setViewportSize({ width: 320, height: 740 });
  expect(await cut()).toEqual([]);
});

test('the top of a phone shows the whole title of each view beside the choice of users', {
  timeout: 120_000,
}, async () => {
  const { page } = await browser.openApp('', { viewport: { width: 390, height: 740 } }, MEMORIES);
  await settled(page);
  for (const view of VIEWS) {
    await browser.show(page, view);
    await page.getByRole('combobox', { name: 'User', exact: true }).waitFor();
    const title = page.getByRole('heading', { level: 1 });
    expect(await title.evaluate((text) => text.scrollWidth - text.clientWidth), view).toBe(0);
    expect(await fits(page), view).toBe(true);
  }
  await page.locator('.space-menu > summary').click();
  await page.getByRole('link', { name: 'All spaces' }).waitFor();
});

test('the palette finds a memory and opens it by keyboard alone', { timeout: 60_000 }, async () => {
  const { page } = await browser.openApp('', {}, MEMORIES);
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /Search memories/ });
  await field.fill('noted number 7');
  await page
    .getByRole('option', { name: /noted number 7:/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard\/memories\?.*id=mem_/);
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('a search waits for the text of an input method, and leaves its keys to it', { timeout: 60_000 }, async () => {
  const { page } = await browser.openApp('', {}, [{ content: 'アダは京都の茶が好きです' }]);
  const searched: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/search')) searched.push(request.postDataJSON().query);
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Search memories/ }).focus();
  const devtools = await page.context().newCDPSession(page);
  const reading = 'きょうと';
  for (let length = 1; length <= reading.length; length += 1) {
    const caret = { selectionStart: length, selectionEnd: length };
    await devtools.send('Input.imeSetComposition', { text: reading.slice(0, length), ...caret });
  }
  // Longer than the pause after which the palette searches.
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog', { name: 'Command palette' }).count()).toBe(1);
  await devtools.send('Input.insertText', { text: '京都' });
  await page.getByRole('option', { name: /京都の茶/ }).waitFor();
  expect(new Set(searched)).toEqual(new Set(['京都']));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard\/memories\?.*id=mem_/);
});

test('shows the view of an address, and says so if there is none', { timeout: 60_000 }, async () => {
  const { page } = await browser.openApp('learning');
  await page.getByRole('heading', { level: 1, name: 'Learning' }).waitFor();
  await browser.show(page, 'nothing');
  await page.getByText('There is nothing at this address').waitFor();
  expect((await page.reload())!.status()).toBe(404);
  await page.getByText('There is nothing at this address').waitFor();
  await page.getByRole('link', { name: 'Go to Home' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

test('every view is reached and walked by keyboard, with a visible focus', { timeout: 180_000 }, async () => {
  const { page } = await browser.openApp('', {}, MEMORIES.slice(0, 30));
  await settled(page);
  const letters = {
    home: 'h',
    memories: 'm',
    map: 'p',
    conversations: 'c',
    recall: 'r',
    learning: 'l',
    connect: 'n',
    activity: 'a',
    settings: 's',
  };
  for (const [view, letter] of Object.entries(letters)) {
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await page.waitForURL((url) => url.pathname === `/dashboard${view === 'home' ? '' : `/${view}`}`);
    await settled(page);
    await page.evaluate(() => document.getElementById('main')!.focus());
    const seen = new Set<string>();
    for (let step = 0; step < 25; step++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const element = document.activeElement!;
        const marked = element.closest('label') ?? element;
        const styles = [element, marked, ...marked.querySelectorAll('span, rect, svg')].map((one) =>
          getComputedStyle(one),
        );
        // The browser marks the parts of a date field, which have no element in the page.
        const isDate = element.matches('input[type^=date]');
        const isMarked =
          isDate ||
          styles.some(({ outlineStyle, stroke }) => outlineStyle !== 'none' || (stroke !== 'none' && stroke !== ''));
        return { isMain: element.closest('main') !== null, isMarked, text: element.outerHTML.slice(0, 200) };
      });
      if (!focus.isMain) break;
      seen.add(focus.text);
      expect(focus.isMarked, `${view}: ${focus.text}`).toBe(true);
    }
    const reachable = await page.locator('main :is(a, button, input, select)').count();
    expect(seen.size > 0, view).toBe(reachable > 0);
  }
});

test('nothing moves where reduced motion is asked for', { timeout: 120_000 }, async () => {
  const { page } = await browser.openApp('', { reducedMotion: 'reduce' }, MEMORIES.slice(0, 30));
  await settled(page);
  for (const view of VIEWS) {
    await browser.show(page, view);
    expect(await page.evaluate(() => document.getAnimations().length), view).toBe(0);
  }
});
