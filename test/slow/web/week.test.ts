import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { SearchAnswer } from '../../../src/client/client.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

/** Sends a request as a program of this name. */
async function send<Answer>(apiKey: string, agent: string, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${browser.daemon.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}`, 'user-agent': agent },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

/** Lets two assistants remember and ask. */
async function live(apiKey: string): Promise<void> {
  const { id } = await send<Memory>(apiKey, 'claude-code/2.1.0', '/v1/memories', { content: 'Ada lives in Bergen' });
  await send(apiKey, 'codex-mcp-client/0.50', '/v1/memories', { content: 'Ada lives in Oslo', supersedes: id });
  const asked = { query: 'where does Ada live?' };
  const { searchId, results } = await send<SearchAnswer>(apiKey, 'codex-mcp-client/0.50', '/v1/search', asked);
  const feedback = { used: [results[0]!.id] };
  await send(apiKey, 'codex-mcp-client/0.50', `/v1/searches/${searchId}/feedback`, feedback);
  await expect
    .poll(async () => (await (await browser.call(apiKey, '/v1/activity')).json()) as object, { timeout: 10_000 })
    .toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ searchId })]) });
}

const region = (page: Page, name: string) => page.getByRole('region', { name });

describe.each(['light', 'dark'] as const)('a week in the %s theme', { timeout: 60_000 }, (colorScheme) => {
  test('stands on Home and in Activity, accessibly and on a phone too', async () => {
    const { page, apiKey, consoleErrors } = await browser.openApp('', { colorScheme });
    await live(apiKey);
    await page.reload();
    await region(page, 'This week')
      .getByText('2 memories added, 1 replaced by newer ones in the last 7 days.')
      .waitFor();
    await region(page, 'This week')
      .getByRole('link', { name: /Ada lives in Oslo.*Codex/ })
      .waitFor();
    await region(page, 'Health').getByText('svc extract --with claude').waitFor();
    const question = page.getByRole('link', { name: /where does Ada live\?.*the 1st helped.*Codex/ });
    const looks = await question.locator('.row-text').evaluate((text) => getComputedStyle(text).textDecorationLine);
    expect(looks).toBe('underline');
    await question.click();
    await page.getByText('Codex asked this').waitFor();
    await page.goBack();
    await question.waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toMatch(/default|codex-mcp/);
    for (const view of ['home', 'activity']) {
      await browser.show(page, view);
      expect(await browser.axe(page), view).toEqual([]);
      await page.setViewportSize({ width: 375, height: 800 });
      expect(await fits(page), view).toBe(true);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await page.getByText('Asked “where does Ada live?”, got 1, used 1').waitFor();
    await page.getByRole('heading', { name: 'Claude Code' }).waitFor();
    await page.getByRole('link', { name: 'log' }).click();
    await settled(page);
    await page.getByRole('list', { name: 'Requests' }).getByText('Codex').first().waitFor();
    expect(consoleErrors).toEqual([]);
  });
});

test('an account without memories shows first steps, and neither a year nor quotas', { timeout: 60_000 }, async () => {
  const { page } = await browser.openApp('');
  await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
  await region(page, 'Health').getByText('Ready').waitFor();
  await region(page, 'Health').getByText('Not set up').first().waitFor();
  expect(await page.getByText('svc extract --with claude').count()).toBe(0);
  expect(await page.getByRole('heading', { name: /year|Plan|This week/ }).count()).toBe(0);
});

test('a batch is shown with all the memories that it stored', { timeout: 60_000 }, async () => {
  const { page, apiKey } = await browser.openApp('');
  const memories = Array.from({ length: 25 }, (_, index) => ({ content: `Note ${index} about the harbor` }));
  await send(apiKey, 'claude-code/2.1.0', '/v1/memories/batch', { memories });
  await expect
    .poll(async () => (await (await browser.call(apiKey, '/v1/activity')).json()) as object, { timeout: 10_000 })
    .toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ itemCount: 25 })]) });
  await browser.show(page, 'activity');
  await page.getByText('Remembered 25 memories').waitFor();
});
