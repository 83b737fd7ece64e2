import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { NewMemory } from '../../../src/contract/memories.ts';
import { utcDay } from '../../../src/lib/clock.ts';
import { browserTests, passUndoTime, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

/** Clicks and shortcuts. Typing into a field that has the focus is part of what opened it. */
const MAX_ACTIONS = 4;

const FACTS: NewMemory[] = [
  { content: 'Ada prefers oolong tea', tags: ['taste'] },
  { content: 'The trip to Lisbon starts on Monday', tags: ['travel'] },
  { content: 'The hotel in Lisbon is near the river', tags: ['travel'] },
];

/** Opens Home and counts what a person does from there. */
async function openHome(memories = FACTS) {
  const opened = await browser.openApp(
    '',
    { viewport: { width: 1440, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] },
    memories,
  );
  await settled(opened.page);
  let actions = 0;
  return {
    ...opened,
    act: async (action: Promise<unknown>) => {
      actions += 1;
      await action;
    },
    actions: () => actions,
  };
}

const view = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Memories' }).getByRole('button', { name: text });

/** Looks for words in the palette and waits until it has found this. */
async function look(page: Page, words: string, found: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Search memories/ }).fill(words);
  await page.getByRole('option', { name: found }).first().waitFor();
}

async function stored(apiKey: string): Promise<string[]> {
  const response = await browser.call(apiKey, '/v1/memories');
  return ((await response.json()) as { data: { content: string }[] }).data.map(({ content }) => content);
}

describe(`a stranger on Home needs at most ${MAX_ACTIONS} actions`, { timeout: 60_000 }, () => {
  test('to find a wrong memory and correct it', async () => {
    const { page, apiKey, act, actions } = await openHome();
    await act(look(page, 'oolong', /^Ada prefers oolong/));
    await act(page.keyboard.press('Enter'));
    await page.getByRole('complementary', { name: 'Memory' }).getByText('oolong').first().waitFor();
    await act(page.keyboard.press('e'));
    await page.getByLabel('Text').fill('Ada prefers green tea');
    await act(page.keyboard.press('Control+Enter'));
    await expect.poll(() => stored(apiKey)).toContain('Ada prefers green tea');
    expect(actions()).toBeLessThanOrEqual(MAX_ACTIONS);
  });

  test('to see why an answer came first', async () => {
    const { page, act, actions } = await openHome();
    await act(view(page, 'Recall'));
    await page.getByRole('searchbox').fill('Where is the hotel in Lisbon?');
    await act(page.keyboard.press('Enter'));
    await act(page.getByRole('button', { name: 'Why' }).first().click());
    await page.locator('.why tfoot').waitFor();
    expect(actions()).toBeLessThanOrEqual(MAX_ACTIONS);
  });

  test('to connect an assistant', async () => {
    const { page, apiKey, act, actions } = await openHome();
    await act(view(page, 'Connect'));
    await act(page.getByRole('link', { name: 'Cursor' }).click());
    await act(page.getByRole('button', { name: 'Copy configuration' }).click());
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(apiKey);
    expect(actions()).toBeLessThanOrEqual(MAX_ACTIONS);
  });

  test('to see what changed yesterday', async () => {
    const { page, apiKey, act, actions } = await openHome([]);
    const yesterdayMs = Date.now() - 26 * 3_600_000;
    browser.daemon.clock.setWall(yesterdayMs);
    await browser.call(apiKey, '/v1/memories', { content: 'Ada moved to Bergen' });
    browser.daemon.clock.setWall(Date.now());
    await browser.call(apiKey, '/v1/memories', { content: 'Ada prefers oolong tea' });
    await act(view(page, 'Memories'));
    await act(page.getByLabel('Order').selectOption('Last changed'));
    const changed = row(page, 'Ada moved to Bergen').locator('time');
    await expect.poll(() => changed.getAttribute('datetime')).toContain(utcDay(yesterdayMs));
    expect(actions()).toBeLessThanOrEqual(MAX_ACTIONS);
  });

  test('to forget everything about a topic', async () => {
    const { page, apiKey, act, actions } = await openHome();
    await act(view(page, 'Memories'));
    await act(page.getByRole('button', { name: 'travel 2', exact: true }).click());
    await row(page, 'oolong').waitFor({ state: 'detached' });
    await act(page.getByRole('checkbox', { name: 'Select all' }).check());
    await act(page.getByRole('button', { name: 'Forget' }).click());
    await page.getByText('Forgot 2 memories.').waitFor();
    await passUndoTime(page);
    await expect.poll(() => stored(apiKey)).toEqual(['Ada prefers oolong tea']);
    expect(actions()).toBeLessThanOrEqual(MAX_ACTIONS);
  });

  test('to find the message that a memory comes from', async () => {
    const { page, apiKey, act, actions } = await openHome([]);
    const made = await browser.call(apiKey, '/v1/conversations', { title: 'Lunch' });
    const { id } = (await made.json()) as { id: string };
    const messages = [{ role: 'user', content: 'Kai is vegetarian' }];
    const said = await browser.call(apiKey, `/v1/conversations/${id}/messages`, { messages });
    const { data } = (await said.json()) as { data: { id: string }[] };
    const source = { conversationId: id, messageId: data[0]!.id };
    await browser.call(apiKey, '/v1/memories', { content: 'Kai eats no meat', source });
    await act(look(page, 'no meat', /^Kai eats no meat/));
    await act(page.keyboard.press('Enter'));
    await act(page.getByRole('link', { name: 'this message' }).click());
    await page.getByText('Kai is vegetarian').first().waitFor();
    expect(actions()).toBeLessThanOrEqual(MAX_ACTIONS);
  });
});
