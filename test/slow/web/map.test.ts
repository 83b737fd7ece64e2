import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Memory, NewMemory } from '../../../src/contract/memories.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const FACTS: NewMemory[] = [
  { content: 'Ada prefers oolong tea', tags: ['taste'] },
  { content: 'Ada prefers dark chocolate', tags: ['taste'] },
  { content: 'Ada moved to Bergen', tags: ['people'] },
  { content: 'Grace is allergic to peanuts', tags: ['people'], project: 'kitchen' },
];
const WIDE = { viewport: { width: 1440, height: 900 } };

const list = (page: Page) => page.getByRole('list', { name: 'Memories on the map' });
const row = (page: Page, text: string) => list(page).getByRole('button', { name: text });
const card = (page: Page) => page.getByRole('region', { name: 'Selected memory' });
const map = (page: Page) => page.getByRole('img', { name: /^Map of/ });
const chosen = (page: Page) => new URL(page.url()).searchParams.get('id');

async function open(memories = FACTS, options: Parameters<typeof browser.openApp>[1] = WIDE) {
  const opened = await browser.openApp('map', options, memories);
  await settled(opened.page);
  return opened;
}

describe('the map', () => {
  test('shows a memory and what is related to it, from the list', { timeout: 60_000 }, async () => {
    const { page, apiKey, consoleErrors } = await open();
    const answer = await browser.call(apiKey, '/v1/memories?tags=people');
    const bergen = ((await answer.json()) as { data: Memory[] }).data.find(({ content }) =>
      content.includes('Bergen'),
    )!;
    await browser.call(apiKey, '/v1/memories', {
      content: 'Ada moved to Oslo',
      tags: ['people'],
      supersedes: bergen.id,
    });
    await row(page, 'Ada moved to Oslo').click();
    await card(page).getByRole('heading', { name: 'Supersedes' }).waitFor();
    await card(page).getByRole('link', { name: 'Ada moved to Bergen' }).click();
    await card(page).getByRole('heading', { name: 'Superseded by' }).waitFor();
    expect(chosen(page)).toBe(bergen.id);
    expect(await browser.axe(page)).toEqual([]);
    await card(page).getByRole('link', { name: 'Open in Memories' }).click();
    await page.waitForURL(/\/dashboard\/memories\?.*id=mem_/);
    expect(consoleErrors).toEqual([]);
  });

  test('is read by keys alone, and Escape clears the selection', { timeout: 60_000, retry: 2 }, async () => {
    const { page } = await open();
    await page.locator('[data-row]').first().waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => chosen(page)).not.toBeNull();
    const first = chosen(page);
    // The row is focused with the frame after it was chosen.
    await page.waitForFunction(() => document.activeElement?.closest('[data-row]'));
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => chosen(page)).not.toBe(first);
    await card(page).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => chosen(page)).toBeNull();
  });

  test('selects the dot that is clicked, and nothing beside dots', { timeout: 60_000 }, async () => {
    const { page } = await open([FACTS[0]!], { ...WIDE, reducedMotion: 'reduce' });
    await page.getByText('Arranging…').waitFor({ state: 'detached' });
    const box = (await map(page).boundingBox())!;
    const dot = await findDot(page);
    await page.mouse.move(box.x + dot.x, box.y + dot.y);
    await page.locator('.map-hover', { hasText: 'oolong' }).waitFor();
    await page.mouse.click(box.x + dot.x, box.y + dot.y);
    await card(page).getByText('Ada prefers oolong tea').waitFor();
    await page.mouse.click(box.x + box.width - 30, box.y + 60);
    await expect.poll(() => chosen(page)).toBeNull();
  });

  test('finds memories, and is grouped and filtered by the address', { timeout: 60_000 }, async () => {
    const { page } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('chocolate');
    await page.getByText('1 of 4 memories found').waitFor();
    await expect.poll(() => list(page).locator('[data-row]').count()).toBe(1);
    await page.getByLabel('Find on the map').fill('');
    await page.getByLabel('Projects').check();
    await list(page).getByRole('heading', { name: 'kitchen · 1' }).waitFor();
    await page.goto(`${browser.daemon.baseUrl}/dashboard/map?tag=taste`);
    await list(page).getByRole('heading', { name: 'taste · 2' }).waitFor();
    await page.getByRole('button', { name: 'tag: taste' }).click();
    await page.getByText('4 memories', { exact: true }).waitFor();
  });

  test('teaches when there is nothing on it', { timeout: 60_000 }, async () => {
    const { page } = await open([]);
    await page.getByRole('heading', { name: 'The map is empty' }).waitFor();
    await page.getByRole('link', { name: 'Add a memory' }).click();
    await page.waitForURL(/\/dashboard\/memories\?add=1/);
  });

  test('keeps the heading of a group with a long name in one line of the list', { timeout: 60_000 }, async () => {
    const { page } = await open([{ content: 'Ada rides a bicycle', tags: ['t'.repeat(64)] }]);
    const heading = list(page).getByRole('heading', { name: /^t{64} · 1$/ });
    await heading.waitFor();
    const { x, width } = (await list(page).boundingBox())!;
    const box = (await heading.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(x + width);
    expect(box.height).toBeLessThan(30);
  });

  test('fits a phone with a memory selected', { timeout: 60_000 }, async () => {
    const { page } = await open(FACTS, { viewport: { width: 360, height: 740 } });
    await row(page, 'Grace is allergic').click();
    await card(page).getByText('Grace is allergic').waitFor();
    await card(page).getByRole('link', { name: 'people' }).click();
    await page.getByText('2 memories', { exact: true }).waitFor();
    expect(await fits(page)).toBe(true);
    expect(await browser.axe(page)).toEqual([]);
  });
});

/** The middle of the only dot on the map, from the pixels of the canvas. */
function findDot(page: Page): Promise<{ x: number; y: number }> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.map-canvas canvas')!;
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height);
    let [x, y, count] = [0, 0, 0];
    for (let pixel = 0; pixel < width * height; pixel += 1) {
      const [red, green, blue, alpha] = [0, 1, 2, 3].map((part) => data[pixel * 4 + part]);
      // The color of the first group in the light theme: rgb(15 107 92).
      if (alpha !== 255 || Math.abs(red! - 15) + Math.abs(green! - 107) + Math.abs(blue! - 92) > 12) continue;
      [x, y, count] = [x + (pixel % width), y + Math.floor(pixel / width), count + 1];
    }
    return { x: x / count / devicePixelRatio, y: y / count / devicePixelRatio };
  });
}
