import { describe, expect, test } from 'vitest';
import type { Retrieval, SearchAnswer } from '../../../src/client/client.ts';
import type { LearnedWord } from '../../../src/contract/learned-words.ts';
import { browserTests, fits, passUndoTime, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const MEMORIES = [
  { content: 'Ada writes her code in Iosevka, at size 13' },
  { content: 'The harbor office closes at six on Fridays' },
  { content: 'Ada bought a red bicycle in Ghent' },
];
const ITEM = 'Ada writes her code in Iosevka, at size 13';

/** Asks, and reports the memory that begins like this as what helped. */
async function teach(apiKey: string, query: string, beginning: string): Promise<void> {
  const found = (await (await browser.call(apiKey, '/v1/search', { query })).json()) as SearchAnswer;
  const { id } = found.results.find(({ content }) => content.startsWith(beginning))!;
  const answer = await browser.call(apiKey, `/v1/searches/${found.searchId}/feedback`, { used: [id] });
  expect(answer.status).toBe(202);
}

async function teachAll(apiKey: string): Promise<void> {
  await teach(apiKey, 'Which typeface for the editor does Ada code in?', 'Ada writes');
  await teach(apiKey, 'typeface of the code', 'Ada writes');
  await teach(apiKey, 'When does the harbor office lock up?', 'The harbor');
}

async function wordsOf(apiKey: string): Promise<string[]> {
  const { data } = (await (await browser.call(apiKey, '/v1/retrieval/words')).json()) as { data: LearnedWord[] };
  return data.map(({ word }) => word);
}

describe('Learned words', { timeout: 60_000 }, () => {
  test('says how words are learned before any are', async () => {
    const { page } = await browser.openApp('learning', {}, MEMORIES);
    await page.getByText('the words of the question lead to it the next time').waitFor();
  });

  test('lists what feedback taught by item, the last used first, and links to the memory', async () => {
    const { page, apiKey, consoleErrors } = await browser.openApp('', {}, MEMORIES);
    await teachAll(apiKey);
    await browser.show(page, 'learning');
    await page.getByText('typeface · twice').waitFor();
    await page.getByText('editor · once').waitFor();
    await expect
      .poll(() => page.locator('.word-items > li > a').allTextContents())
      .toEqual(['The harbor office closes at six on Fridays', ITEM]);
    await page.getByRole('link', { name: ITEM }).click();
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('forgets one word by keyboard, and keeps it where that is undone', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    await teachAll(apiKey);
    await browser.show(page, 'learning');
    const typeface = page.getByText('typeface · twice');
    const forget = page.getByRole('button', { name: `Forget “typeface” for ${ITEM}` });
    await forget.focus();
    await page.keyboard.press('Enter');
    await typeface.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/^Forget/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await typeface.waitFor();
    expect(await wordsOf(apiKey)).toContain('typeface');
    await forget.click();
    await typeface.waitFor({ state: 'detached' });
    await passUndoTime(page);
    await expect.poll(() => wordsOf(apiKey)).not.toContain('typeface');
    expect(await wordsOf(apiKey)).toContain('editor');
    await page.getByText('editor · once').waitFor();
    expect(await typeface.count()).toBe(0);
  });

  test('forgets all words of an item, and all words after asking', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    await teachAll(apiKey);
    await browser.show(page, 'learning');
    await page.getByRole('button', { name: `Forget these words for ${ITEM}` }).click();
    await page.getByText('typeface · twice').waitFor({ state: 'detached' });
    await passUndoTime(page);
    await expect.poll(() => wordsOf(apiKey)).not.toContain('editor');
    expect(await wordsOf(apiKey)).toContain('harbor');
    const forget = page.getByRole('button', { name: 'Forget all words' });
    await forget.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await wordsOf(apiKey)).toContain('harbor');
    await forget.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget all words' }).click();
    await page.getByText('the words of the question lead to it the next time').waitFor();
    expect(await wordsOf(apiKey)).toEqual([]);
  });

  test('switches the learning of words, and inferred uses, off and on', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    await teachAll(apiKey);
    await browser.show(page, 'learning');
    const retrieval = async () => (await (await browser.call(apiKey, '/v1/retrieval')).json()) as Retrieval;
    const usesWords = async () => (await retrieval()).usesWords;
    const infers = page.getByRole('switch', { name: 'Infer from reading and answers what was used' });
    await infers.click();
    await expect.poll(async () => (await retrieval()).infersUses).toBe(false);
    await infers.click();
    await expect.poll(async () => (await retrieval()).infersUses).toBe(true);
    const toggle = page.getByRole('switch', { name: 'Learn words from questions' });
    expect(await toggle.isChecked()).toBe(true);
    await toggle.click();
    await page.getByText('While words are not learned, these have no effect.').waitFor();
    expect(await toggle.isChecked()).toBe(false);
    expect(await usesWords()).toBe(false);
    await toggle.click();
    await page.getByText('finds what was used for it before').waitFor();
    expect(await usesWords()).toBe(true);
  });

  test('shows 20 items, and more on request', async () => {
    const items = Array.from({ length: 23 }, (_, index) => ({ content: `Locker ${index} holds tool ${index}` }));
    const { page, apiKey } = await browser.openApp('', {}, items);
    for (let index = 0; index < 23; index += 1) await teach(apiKey, `wrench locker ${index}`, `Locker ${index} `);
    await browser.show(page, 'learning');
    await expect.poll(() => page.locator('.word-items > li').count()).toBe(20);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => page.locator('.word-items > li').count()).toBe(23);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  test('says in Recall why a result was found', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    await teachAll(apiKey);
    await browser.show(page, 'recall?q=typeface');
    await page.getByRole('button', { name: 'Why' }).first().click();
    await page.getByText('You asked for typeface and used this twice.').waitFor();
  });
});

describe.each(['light', 'dark'] as const)('Learned words in the %s theme', (colorScheme) => {
  test('are accessible and fit a phone', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await browser.openApp('', { colorScheme, viewport: { width: 375, height: 740 } }, [
      ...MEMORIES,
      { content: `Notes on ${'a-very-long-unbroken-name'.repeat(8)}` },
    ]);
    await teachAll(apiKey);
    await teach(apiKey, `Pneumonoultramicroscopicsilicovolcanoconiosis notes`, 'Notes on');
    await browser.show(page, 'learning');
    await page.getByText('typeface · twice').waitFor();
    await settled(page);
    expect(await browser.axe(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
  });
});
