import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { runAdmin } from '../../helpers/admin-command.ts';
import { canMount, mountSmallDisk } from '../../helpers/small-disk.ts';
import { browserTests, fits, settled, VIEWS } from './browser.ts';

// The daemon wants 64 MiB free to be ready.
const disk = (await canMount()) ? await mountSmallDisk(96) : undefined;
const dataDir = disk && join(disk.folder, 'data');
if (dataDir) await mkdir(dataDir);
// Registered first, so that it runs last.
afterAll(() => disk?.unmount());
const browser = browserTests({ config: { defaultTier: 'Pro' }, ...(dataDir && { dataDir }) });

const FACTS = [{ content: 'Ada prefers oolong tea' }, { content: 'Grace is allergic to peanuts' }];
const WIDE = { viewport: { width: 1440, height: 900 } };
/** More than what the write-ahead log may have room for. */
const LONG = `Ada wrote a long letter ${'about the sea '.repeat(6000)}`;
const RECOVERY_MS = 20_000;

const banner = (page: Page) => page.locator('.daemon-banner');
const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Memories' }).getByRole('button', { name: text });

/** Marks the page, to see later that it was not loaded again. */
const mark = (page: Page) => page.evaluate(() => Object.assign(globalThis, { wasHere: true }));
const isMarked = (page: Page) => page.evaluate(() => 'wasHere' in globalThis);

test('Home says how old the last backup is, unless others share the daemon', { timeout: 60_000 }, async () => {
  const { accounts, folder } = browser.daemon;
  for (const { tenantId } of await accounts.list()) await accounts.erase(tenantId);
  const { page } = await browser.openApp('', WIDE);
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('None yet').waitFor();
  expect((await runAdmin(folder, ['backup', join(folder, 'copy.db'), '--force'])).code).toBe(0);
  await page.reload();
  await health.getByText('just now').waitFor();
  await browser.daemon.signIn(browser.freshAddress());
  await page.reload();
  await health.getByText('Search by meaning').waitFor();
  expect(await health.getByText('Last backup').count()).toBe(0);
});

describe.skipIf(!disk)('while the disk is full', { timeout: 120_000 }, () => {
  test('every view says so, changes are refused, reading and search work, and it ends without a reload', async () => {
    const { page, apiKey } = await browser.openApp('memories', WIDE, FACTS);
    await settled(page);
    await mark(page);
    expect(await banner(page).textContent()).toBe('');
    await disk!.fill();
    const add = async () =>
      (await browser.call(apiKey, '/v1/memories', { content: `${Math.random()} ${LONG}` })).status;
    await expect.poll(add, { timeout: 20_000 }).toBe(507);

    await page
      .getByRole('link', { name: 'Add' })
      .or(page.getByRole('button', { name: 'Add' }))
      .first()
      .click();
    await page.getByLabel('Text').fill(LONG);
    await page.keyboard.press('Control+Enter');
    await banner(page).getByText('svc cannot store anything: its disk is full.').waitFor();
    await page.getByRole('alert').getByText('The disk that stores the memories is full').waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe(LONG);
    expect(await browser.axe(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await row(page, 'peanuts').click();
    await page.getByRole('complementary', { name: 'Memory' }).getByRole('button', { name: 'Forget' }).click();
    await page.getByText('Nothing was changed: svc cannot store anything').waitFor();
    await row(page, 'peanuts').waitFor();

    for (const view of VIEWS) {
      await browser.show(page, view);
      await banner(page).getByText('its disk is full').waitFor();
    }
    await browser.show(page, 'recall?q=what+does+Ada+prefer');
    await page.locator('.result', { hasText: 'oolong' }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await fits(page)).toBe(true);
    await page.setViewportSize(WIDE.viewport);

    await disk!.free();
    await expect.poll(() => banner(page).textContent(), { timeout: RECOVERY_MS }).toBe('');
    await browser.show(page, 'memories?add=1');
    await page.getByLabel('Text').fill('Kai collects old maps');
    await page.keyboard.press('Control+Enter');
    await row(page, 'Kai collects old maps').waitFor();
    expect(await isMarked(page)).toBe(true);
  });
});

describe('while the daemon is not reachable', { timeout: 60_000 }, () => {
  test('the page says so, and loads what failed once it is back', async () => {
    const { page } = await browser.openApp('memories', WIDE, FACTS);
    await settled(page);
    await mark(page);
    await browser.show(page, 'home');
    await page.context().setOffline(true);
    await browser.show(page, 'memories');
    await banner(page).getByText('svc does not respond.').waitFor();
    await page.getByRole('alert').first().waitFor();
    // The module of this view was not loaded before.
    await browser.show(page, 'learning');
    await page.getByRole('alert').getByText('svc does not respond').waitFor();
    await browser.show(page, 'memories');
    await page.getByRole('alert').first().waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => banner(page).textContent(), { timeout: RECOVERY_MS }).toBe('');
    await row(page, 'oolong').waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await browser.show(page, 'learning');
    await page.getByRole('main').getByRole('heading').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await isMarked(page)).toBe(true);
  });
});

test('what the daemon failed to answer is loaded again automatically', { timeout: 60_000 }, async () => {
  const { page } = await browser.openApp('', WIDE, FACTS);
  await settled(page);
  const problem = {
    type: 'urn:svc:problem:internal',
    title: 'Internal',
    status: 500,
    code: 'internal',
    requestId: 'req_1',
  };
  const body = JSON.stringify({ ...problem, detail: 'Something broke.' });
  await page.route('**/v1/memories?*', (route) =>
    route.fulfill({ status: 500, contentType: 'application/problem+json', body }),
  );
  await browser.show(page, 'memories');
  await page.getByRole('alert').getByText('Something broke. This page tries again automatically.').waitFor();
  await page.unroute('**/v1/memories?*');
  await row(page, 'oolong').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});
