import { expect, test } from 'vitest';
import { browserTests, settled, VIEWS } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const MEMORIES = Array.from({ length: 2_000 }, (_, index) => ({
  content: `Ada noted number ${index}: the harbor office closes at six on Fridays`,
  tags: [index % 2 === 0 ? 'even' : 'odd'],
}));
const VISITS = 5;
const USABLE_MS = 300;

// Again where the machine was busy with something else.
test('shows Memories within 300 ms of its address', { timeout: 120_000, retry: 2 }, async () => {
  const { page } = await browser.openApp('', {}, MEMORIES);
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('main [data-row]') || 'usableMs' in globalThis) return;
      Object.assign(globalThis, { usableMs: performance.now() });
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories`);
    await page.waitForFunction(() => 'usableMs' in globalThis);
    times.push(await page.evaluate(() => (globalThis as unknown as { usableMs: number }).usableMs));
  }
  expect(times.sort((one, other) => one - other)[Math.floor(VISITS / 2)]).toBeLessThan(USABLE_MS);
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
