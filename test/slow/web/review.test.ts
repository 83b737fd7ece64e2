import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Memory, NewSuggestion, Suggestion, SuggestionSettings } from '../../../src/client/client.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const MEMORIES = [
  { content: 'I live in Linz, near the river', occurredAt: day(1) },
  { content: 'I moved to Graz', occurredAt: day(9) },
  { content: 'There are 28 beds on our ward', tags: ['ward'], occurredAt: day(2) },
  { content: 'There are twenty-eight beds in total on our ward', occurredAt: day(5) },
  { content: 'My phone is a Pixel 8', occurredAt: day(3) },
  { content: 'My phone is a Fairphone 5', occurredAt: day(3) },
];

async function openReview(contextOptions = {}) {
  const opened = await browser.openApp('', contextOptions, MEMORIES);
  while (await browser.daemon.comparing.follow());
  await browser.show(opened.page, 'review');
  return opened;
}

async function current(apiKey: string): Promise<string[]> {
  const { data } = (await (await browser.call(apiKey, '/v1/memories?limit=50')).json()) as { data: Memory[] };
  return data.map(({ content }) => content);
}

/** Walks to the suggestion with this heading. */
async function goTo(page: Page, name: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 2, name });
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('k');
  for (let step = 0; step < 3 && !(await heading.isVisible()); step += 1) await page.keyboard.press('j');
  await heading.waitFor();
}

describe('Review', { timeout: 60_000 }, () => {
  test('undoes the decision that a message is about, also after another one', async () => {
    const { page, apiKey } = await openReview();
    await goTo(page, 'Is the older one out of date?');
    await page.keyboard.press('a');
    await page.getByText('of 2').waitFor();
    await page.keyboard.press('r');
    await page.getByText('Rejected: it is not suggested again.').waitFor();
    await page.locator('.toast', { hasText: 'Accepted.' }).getByRole('button', { name: 'Undo' }).click();
    await page.getByText('of 2').waitFor();
    expect(await current(apiKey)).toContain('I live in Linz, near the river');
    await goTo(page, 'Is the older one out of date?');
  });

  test('goes through what the rules found by keys alone, with undo', async () => {
    const { page, apiKey, consoleErrors } = await openReview();
    await page.getByText('1 of 3').waitFor();
    await goTo(page, 'Is the older one out of date?');
    await page.getByText('I live in Linz, near the river', { exact: true }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('Accepted.').waitFor();
    await page.getByText('of 2').waitFor();
    expect(await current(apiKey)).not.toContain('I live in Linz, near the river');
    await page.keyboard.press('u');
    await page.getByText('of 3').waitFor();
    expect(await current(apiKey)).toContain('I live in Linz, near the river');
    await goTo(page, 'Is the older one out of date?');
    await page.keyboard.press('r');
    await page.getByText('of 2').waitFor();
    await goTo(page, 'Which of these holds?');
    await page.getByRole('button', { name: 'This one holds' }).last().click();
    await page.getByText('of 1').waitFor();
    expect(await current(apiKey)).not.toContain('My phone is a Pixel 8');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
    expect(await current(apiKey)).toHaveLength(4);
    expect(consoleErrors).toEqual([]);
  });

  test('stores another text than the suggested one', async () => {
    const { page, apiKey } = await openReview();
    await goTo(page, 'Do these say the same?');
    await page.keyboard.press('e');
    await page.getByLabel('Text to store').fill('Our ward has 28 beds');
    await page.getByRole('button', { name: 'Save and accept' }).click();
    await page.getByText('of 2').waitFor();
    expect(await current(apiKey)).toContain('Our ward has 28 beds');
  });

  test('shows what an assistant suggests without a reload, and its markup as text', async () => {
    const { page, apiKey } = await browser.openApp('review');
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
    const suggestion: NewSuggestion = {
      kind: 'add',
      content: '<b>Ada</b> is left-handed',
      reason: '<i>She</i> said so',
    };
    await browser.call(apiKey, '/v1/suggestions', { suggestions: [suggestion] });
    await page.getByRole('heading', { name: 'Remember this?' }).waitFor();
    await page.getByText('<b>Ada</b> is left-handed').waitFor();
    await page.getByText('<i>She</i> said so').waitFor();
  });

  test('keeps the suggestion that is shown, and the text that is typed, while others come', async () => {
    const { page, apiKey } = await openReview();
    const suggest = (content: string) =>
      browser.call(apiKey, '/v1/suggestions', { suggestions: [{ kind: 'add', content, reason: 'She said so' }] });
    await goTo(page, 'Do these say the same?');
    await suggest('Ada is left-handed');
    await page.getByText('of 4').waitFor();
    await page.getByRole('heading', { level: 2, name: 'Do these say the same?' }).waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('Text to store').fill('Our ward has 28 beds');
    await suggest('Ada has a dog');
    await page.getByRole('button', { name: 'Suggestions changed. Refresh' }).waitFor();
    expect(await page.getByLabel('Text to store').inputValue()).toBe('Our ward has 28 beds');
    await page.getByRole('button', { name: 'Save and accept' }).click();
    await page.getByText('Accepted.').waitFor();
    expect(await current(apiKey)).toContain('Our ward has 28 beds');
    await page.getByText('of 4').waitFor();
  });

  test('lets svc accept a kind automatically, shows what it accepted, and undoes it', async () => {
    const { page, apiKey, consoleErrors } = await openReview();
    await page.getByText('What svc may do automatically').click();
    const merges = page.getByRole('combobox', { name: 'Memories that say the same', exact: true });
    await merges.selectOption('Accept');
    await page.getByLabel('Memories that say the same: least confidence').selectOption('90 % sure');
    const confidence = async () =>
      ((await (await browser.call(apiKey, '/v1/suggestion-settings')).json()) as SuggestionSettings).merge
        .minConfidence;
    await expect.poll(confidence).toBe(0.9);
    expect(
      await page
        .getByRole('combobox', { name: 'Memories that contradict each other' })
        .locator('option')
        .allTextContents(),
    ).toEqual(['Ask me', 'Do not suggest']);
    const others = Array.from({ length: 100 }, (_, index) => ({ content: `Crate ${index} holds part ${index}` }));
    await browser.call(apiKey, '/v1/memories/batch', { memories: others });
    await browser.daemon.automaticDecisions.decideDue();
    await page.getByRole('heading', { name: 'Accepted by svc this week' }).waitFor();
    await page.getByText('1 of 2').waitFor();
    await settled(page);
    expect(await browser.axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('1 of 3').waitFor();
    expect(await page.getByRole('heading', { name: 'Accepted by svc this week' }).count()).toBe(0);
    await browser.daemon.automaticDecisions.decideDue();
    await page.getByText('1 of 3').waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('says why a suggestion can no longer be decided, and goes on', async () => {
    const { page, apiKey } = await openReview();
    const open = (await (await browser.call(apiKey, '/v1/suggestions?state=open')).json()) as { data: Suggestion[] };
    await goTo(page, 'Is the older one out of date?');
    const { id } = open.data.find(({ kind }) => kind === 'supersede')!;
    await page.route('**/v1/events', (route) => route.abort());
    await browser.call(apiKey, `/v1/suggestions/${id}/reject`, undefined, 'POST');
    await page.keyboard.press('a');
    await page.getByText('of 2').waitFor();
  });
});

test.each(['light', 'dark'] as const)('Review is accessible and fits a phone in the %s theme', async (colorScheme) => {
  const { page } = await openReview({ colorScheme, viewport: { width: 375, height: 740 } });
  for (const name of ['Is the older one out of date?', 'Do these say the same?', 'Which of these holds?']) {
    await goTo(page, name);
    await settled(page);
    expect(await browser.axe(page), name).toEqual([]);
    expect(await fits(page), name).toBe(true);
  }
  await page.getByText('What svc may do automatically').click();
  await page.getByRole('combobox', { name: 'Memories that say the same', exact: true }).selectOption('Accept');
  await settled(page);
  expect(await browser.axe(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  if (process.env.SHOT) await page.screenshot({ path: `/tmp/review-${colorScheme}.png`, fullPage: true });
});
