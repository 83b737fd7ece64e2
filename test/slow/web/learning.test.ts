import { describe, expect, test } from 'vitest';
import type { Retrieval, SearchAnswer } from '../../../src/client/client.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const MEMORIES = Array.from({ length: 20 }, (_, index) => ({
  content: `Ada noted number ${index}: the harbor office closes at ${index % 9} ${'today '.repeat(index % 4)}`.trim(),
  user: 'ada',
}));

/** Reports the last result of some searches as the useful one. */
async function giveFeedback(apiKey: string, times: number): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    const query = ['harbor office', 'when does the office close?', 'what is the latest number?'][round % 3];
    const found = (await (
      await browser.call(apiKey, '/v1/search', { query, user: 'ada', limit: 5 })
    ).json()) as SearchAnswer;
    const used = [found.results.at(-1)!.id];
    expect((await browser.call(apiKey, `/v1/searches/${found.searchId}/feedback`, { used })).status).toBe(202);
  }
}

describe('Learning', { timeout: 60_000 }, () => {
  test('says how learning begins, and leads to Recall', async () => {
    const { page } = await browser.openApp('learning', {}, MEMORIES);
    await page.getByRole('heading', { name: 'The ranking has not learned anything yet' }).waitFor();
    await page.getByRole('link', { name: 'Search in Recall' }).click();
    await page.getByRole('heading', { level: 1, name: 'Recall' }).waitFor();
  });

  test('shows what was learned: place, weights, kinds of questions, and the searches behind it', async () => {
    const { page, apiKey, consoleErrors } = await browser.openApp('', {}, MEMORIES);
    await giveFeedback(apiKey, 6);
    await browser.show(page, 'learning?user=ada');
    await page.getByText('6 searches told which result helped.').waitFor();
    await page.getByText(/^Learning (moved the useful result|made no difference)/).waitFor();
    expect(await page.locator('.time-plot, .matrix').count()).toBe(0);
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText(/^Place \d/).waitFor();
    for (const name of [
      'Place of the useful result',
      'Who decides the order',
      'Who decided, over time',
      'By kind of question',
      'The questions',
    ]) {
      await page.getByRole('heading', { name }).waitFor();
    }
    await page.getByRole('group', { name: /Trust in each way to rank/ }).waitFor();
    // Eight kinds of questions, and more than the three signals that the API names for each by default.
    const cells = await page.locator('.matrix tbody td').allTextContents();
    expect(cells.filter((text) => text !== '0').length).toBeGreaterThan(3 * 8);
    await expect.poll(() => page.locator('.feedback-feed:not(.word-items) > li').count()).toBe(3);
    await page.getByRole('link', { name: 'when does the office close?' }).first().click();
    await page.getByText(/asked this .*Below is what it finds now/).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('reads the curve by keyboard, and as a table', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    await giveFeedback(apiKey, 3);
    await browser.show(page, 'learning?user=ada');
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('group', { name: /Typical place/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.time-plot-key strong').first().waitFor();
    await expect.poll(() => page.locator('.time-plot-key strong').first().textContent()).toMatch(/place \d/);
    await page.getByText('Show as a table').first().click();
    await page.getByRole('columnheader', { name: 'With learning' }).waitFor();
    await page.getByRole('radio', { name: '90 days' }).check();
    await expect.poll(() => new URL(page.url()).searchParams.get('days')).toBe('90');
  });

  test('forgets what was learned, after asking', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    await giveFeedback(apiKey, 3);
    await browser.show(page, 'learning?user=ada');
    const eventsOf = async () =>
      ((await (await browser.call(apiKey, '/v1/retrieval?user=ada')).json()) as Retrieval).events;
    const forget = page.getByRole('button', { name: 'Forget what was learned' });
    await forget.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await eventsOf()).toBe(3);
    await forget.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget what was learned' }).click();
    await page.getByText('The default order applies again.').waitFor();
    expect(await eventsOf()).toBe(0);
  });
});

describe.each(['light', 'dark'] as const)('Learning in the %s theme', (colorScheme) => {
  test('is accessible and fits a phone once something was learned', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await browser.openApp('', { colorScheme }, MEMORIES);
    await giveFeedback(apiKey, 9);
    await browser.show(page, 'learning?user=ada');
    await settled(page);
    expect(await browser.axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Details' }).click();
    await settled(page);
    expect(await browser.axe(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await fits(page)).toBe(true);
    expect(await browser.axe(page)).toEqual([]);
  });
});
