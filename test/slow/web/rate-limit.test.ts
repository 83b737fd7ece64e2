import { expect, test } from 'vitest';
import { browserTests, settled, VIEWS } from './browser.ts';

const browser = browserTests();

/** Uses up the tokens of an account. */
async function exhaust(apiKey: string): Promise<void> {
  const left = async () => Number((await browser.call(apiKey, '/v1/account')).headers.get('x-ratelimit-remaining'));
  while ((await left()) > 0) await Promise.all(Array.from({ length: 20 }, () => browser.call(apiKey, '/v1/account')));
}

test('ten reloads at the Free limit show the app each time', { timeout: 180_000 }, async () => {
  const { page } = await browser.openApp('memories');
  for (let load = 0; load < 10; load += 1) {
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor();
    await settled(page);
    expect(await page.getByText('does not respond').count()).toBe(0);
  }
});

test('a walk through all views at the Free limit shows each of them', { timeout: 180_000 }, async () => {
  const { page } = await browser.openApp();
  for (let round = 0; round < 3; round += 1) {
    for (const view of VIEWS) {
      await browser.show(page, view);
      await page.waitForFunction(() => document.querySelector('.rate-limit-notice')?.childElementCount === 0);
      await settled(page);
      expect([view, await page.locator('main .error, main .is-error').count()]).toEqual([view, 0]);
    }
  }
});

// The last test of the file: its clock stands still, so that no token comes back before the test says so.
test('a page whose account has no requests left says so and continues automatically', {
  timeout: 120_000,
}, async () => {
  const { page, apiKey } = await browser.openApp();
  await settled(page);
  browser.daemon.clock.freeze();
  for (const wait of ['click', 'reload']) {
    await exhaust(apiKey);
    if (wait === 'reload') await page.reload();
    else await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Memories' }).click();
    await page.getByText('Too many requests. This page continues automatically').waitFor();
    browser.daemon.clock.advance(60_000);
    await page.getByText('Nothing is remembered yet').waitFor();
    await page.getByText('Too many requests').waitFor({ state: 'detached' });
  }
});
