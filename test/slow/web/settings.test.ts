import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';
import { browserTests, fits, settled } from './browser.ts';

const PROVIDER_KEY = 'sk-test-0123456789abcdefghij';
const providerHosts: ProviderServer['allowed'][] = [];
let openai: ProviderServer;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: PROVIDER_KEY });
  providerHosts.push(openai.allowed);
});
afterAll(() => openai?.close());

const browser = browserTests({ config: { providerHosts } });

const keys = (page: Page) => page.getByRole('list', { name: 'Provider keys' }).getByRole('listitem');
const status = (page: Page) => page.locator('.provider-status');

async function addKey(page: Page, key: string): Promise<void> {
  const field = page.getByLabel('API key', { exact: true });
  if ((await field.count()) === 0) await page.getByRole('button', { name: 'Add key' }).click();
  await page.getByLabel('Provider', { exact: true }).selectOption('openai');
  await page.getByLabel('Custom base URL').fill(openai.baseUrl);
  await field.fill(key);
  await page.getByRole('button', { name: 'Check and save' }).click();
}

describe('provider keys', { timeout: 60_000 }, () => {
  test('adds, checks, uses and removes a key without ever showing it', async () => {
    const { page, consoleErrors, apiKey } = await browser.openApp('settings?section=providers');
    await page.getByRole('heading', { name: 'Provider keys' }).waitFor();
    await expect.poll(() => keys(page).count()).toBe(0);
    await addKey(page, PROVIDER_KEY);
    await page.getByText(`openai accepted the key …${PROVIDER_KEY.slice(-4)}`).waitFor();
    await expect.poll(() => page.getByLabel('API key', { exact: true }).count()).toBe(0);
    await expect.poll(() => keys(page).allTextContents()).toMatchObject([expect.stringContaining('valid')]);
    const seen = await page.evaluate(() => [document.documentElement.outerHTML, JSON.stringify({ ...localStorage })]);
    expect(seen.join()).not.toContain(PROVIDER_KEY);

    await page.getByLabel('Extraction provider').selectOption('openai');
    await page.getByLabel('Extraction model').fill('gpt-4.1-mini');
    await page.getByLabel('Extract automatically').check();
    await page.getByLabel('Daily token limit').fill('5000');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const settings = await (await browser.call(apiKey, '/v1/provider-settings')).json();
    expect((settings as { extraction: object }).extraction).toMatchObject({
      model: { provider: 'openai', model: 'gpt-4.1-mini' },
      onAppend: true,
      dailyTokens: 5000,
    });

    openai.next({ status: 401 });
    await page.getByRole('button', { name: 'Check the key for openai' }).click();
    await status(page).filter({ hasText: 'The provider rejected this key' }).waitFor();
    await expect.poll(() => keys(page).first().textContent()).toContain('refused');
    await page.getByRole('button', { name: 'Remove the key for openai' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => keys(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Remove the key for openai' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed the key for openai.').waitFor();
    await expect.poll(() => keys(page).count()).toBe(0);
    // The browser logs the rejected check as a failed request.
    expect(consoleErrors.filter((text) => !text.includes('422'))).toEqual([]);
  });

  test('reports a rejected key, stores it nowhere and clears the field', async () => {
    const { page } = await browser.openApp('settings?section=providers');
    await addKey(page, 'sk-wrong-0123456789');
    await status(page).filter({ hasText: 'The provider rejected this key' }).waitFor();
    await expect.poll(() => page.getByLabel('API key', { exact: true }).inputValue()).toBe('');
    await expect.poll(() => keys(page).count()).toBe(0);
    expect(await page.content()).not.toContain('sk-wrong');
  });

  test('forgets a half-typed key on sign-out', async () => {
    const { page } = await browser.openApp('settings?section=providers');
    await page.getByRole('button', { name: 'Add key' }).click();
    await page.getByLabel('API key', { exact: true }).fill('half-typed');
    await page.locator('.account-menu summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').waitFor();
    const values = await page.evaluate(() => [...document.querySelectorAll('input')].map(({ value }) => value));
    expect(values.join('')).not.toContain('half-typed');
  });

  test('shows the progress and result of a job', async () => {
    const { page, apiKey } = await browser.openApp('settings?section=providers', {
      viewport: { width: 360, height: 800 },
    });
    await addKey(page, PROVIDER_KEY);
    await expect.poll(() => keys(page).count()).toBe(1);
    const { id } = (await (await browser.call(apiKey, '/v1/conversations', {})).json()) as { id: string };
    const messages = [{ role: 'user', content: 'I live in Bergen.' }];
    expect((await browser.call(apiKey, `/v1/conversations/${id}/messages`, { messages })).status).toBe(201);
    openai.next(...Array.from({ length: 8 }, () => ({ status: 503 })));
    expect((await browser.call(apiKey, `/v1/conversations/${id}/extract`, {})).status).toBe(202);
    const content = 'The user lives in Bergen.';
    openai.respond(() => ({
      memories: [{ decision: 'add', content, tags: [], messages: [1], known: '', date: '', reason: '' }],
    }));
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByText('The provider failed (status 503)').waitFor();
    expect(await fits(page)).toBe(true);
    openai.reset();
    browser.daemon.clock.advance(600_000);
    await page.getByText('1 added').waitFor({ timeout: 30_000 });
    await expect.poll(() => page.locator('main').textContent()).toContain('1 of 1 message read');
  });
});

const MEMORIES = Array.from({ length: 30 }, (_, index) => ({
  content: `Ada noted number ${index}`,
  user: index % 3 === 0 ? 'grace' : 'ada',
}));

/** Chooses a file as the file dialog would. */
const choose = (page: Page, name: string, content: string) =>
  page
    .getByLabel('File to import')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });

async function memoriesOf(apiKey: string): Promise<{ content: string; user: string; tags: string[] }[]> {
  const answer = await browser.call(apiKey, '/v1/memories?limit=200');
  return ((await answer.json()) as { data: { content: string; user: string; tags: string[] }[] }).data;
}

describe('moving an account', { timeout: 60_000 }, () => {
  test('exports a file that another account imports, with a preview of what is in it', async () => {
    const from = await browser.openApp('settings?section=export', {}, MEMORIES);
    const download = from.page.waitForEvent('download');
    await from.page.getByRole('button', { name: 'Export the account' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^svc-person\d+@example\.com-\d{4}-\d\d-\d\d\.ndjson$/);
    await from.page.getByText('Exported 30 memories').waitFor();
    const text = await readFile(await file.path(), 'utf8');

    const to = await browser.openApp('settings?section=import');
    await choose(to.page, 'account.ndjson', text);
    await to.page.getByText('30 memories').waitFor();
    await expect.poll(() => to.page.getByLabel('Format').inputValue()).toBe('svc');
    await expect.poll(() => to.page.locator('.import-preview li').count()).toBe(5);
    await to.page.getByRole('button', { name: 'Import', exact: true }).click();
    await to.page.getByText('Imported 30 memories').waitFor();
    expect((await memoriesOf(to.apiKey)).filter(({ user }) => user === 'grace')).toHaveLength(10);

    await to.page.getByRole('button', { name: 'Import another file' }).click();
    await choose(to.page, 'account.ndjson', text);
    await to.page.getByRole('button', { name: 'Import', exact: true }).click();
    await to.page.getByText('Already stored: 30 memories').waitFor();
  });

  test('exports one user only', async () => {
    const { page } = await browser.openApp('settings?section=export&user=grace', {}, MEMORIES);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export grace' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text.split('\n').filter((line) => line.includes('"type":"memory"'))).toHaveLength(10);
    expect(text).not.toContain('"user":"ada"');
  });

  test('imports lines of text for a user, with tags, and reports what was left out', async () => {
    const { page, apiKey } = await browser.openApp('settings?section=import');
    await choose(page, 'notes.txt', `Ada drinks tea\nKai collects maps\n${'x'.repeat(200_000)}\n`);
    await page.getByText('3 memories').waitFor();
    await page.getByLabel('User, where the file names none').fill('ada');
    await page.getByLabel('Tags for every memory').fill('notes, imported');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported 2 memories').waitFor();
    await page.getByRole('cell', { name: 'line 3' }).waitFor();
    const stored = await memoriesOf(apiKey);
    expect(stored).toMatchObject([{ user: 'ada' }, { user: 'ada' }]);
    expect(stored.every(({ tags }) => tags.includes('notes') && tags.includes('imported'))).toBe(true);
  });

  test('goes on with an import while another view is shown, and has its report then', async () => {
    const { page } = await browser.openApp('settings?section=import');
    await choose(page, 'notes.txt', Array.from({ length: 500 }, (_, line) => `Note ${line}`).join('\n'));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('link', { name: 'Memories' }).first().click();
    await page.getByText('500 memories').waitFor();
    await page.goBack();
    await page.getByText('Imported 500 memories').waitFor();
  });

  test('turns several notes into one import, and asks for the format of unknown content', async () => {
    const { page } = await browser.openApp('settings?section=import');
    const note = (name: string) => ({
      name,
      mimeType: 'text/markdown',
      buffer: Buffer.from(`# ${name}\n\n- [fact] x`),
    });
    await page.getByLabel('File to import').setInputFiles([note('a.md'), note('b.md')]);
    await page.getByText('2 notes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'package.json', '{\n  "name": "svc"\n}');
    await page.getByText('svc does not recognize the content').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'export.zip', 'PK');
    await page.getByText('This is an archive').waitFor();
  });
});

describe('the profile', { timeout: 60_000 }, () => {
  test('is the text that assistants read, of the chosen user, and follows changes', async () => {
    const { page, apiKey } = await browser.openApp('settings?section=profile&user=grace', {}, MEMORIES);
    const text = page.locator('main pre');
    await text.filter({ hasText: 'Ada noted number 27' }).waitFor();
    await expect.poll(() => text.textContent()).not.toContain('Ada noted number 28');
    await browser.call(apiKey, '/v1/memories', { content: 'Grace keeps bees', user: 'grace' });
    await text.filter({ hasText: 'Grace keeps bees' }).waitFor();
  });
});

describe('erasing', { timeout: 60_000 }, () => {
  test('one user takes its name, and leaves the others', async () => {
    const { page, apiKey } = await browser.openApp('settings?section=erase', {}, MEMORIES);
    await page.getByLabel('User', { exact: true }).last().selectOption('grace');
    await page.getByRole('button', { name: 'Erase user…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Erase user' }).click();
    await expect.poll(() => dialog.count()).toBe(1);
    await dialog.getByRole('textbox').fill('grace');
    await dialog.getByRole('button', { name: 'Erase user' }).click();
    await page.getByText('Erased grace.').waitFor();
    expect(new Set((await memoriesOf(apiKey)).map(({ user }) => user))).toEqual(new Set(['ada']));
  });

  test('the account takes its address, and signs out', async () => {
    const { page, apiKey, email } = await browser.openApp('settings?section=erase', {}, MEMORIES);
    await page.getByRole('button', { name: 'Erase account…' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(email);
    await page.getByRole('dialog').getByRole('button', { name: 'Erase account' }).click();
    await page.getByLabel('Email address').waitFor();
    expect((await browser.call(apiKey, '/v1/account')).status).toBe(401);
  });
});

describe('every section', { timeout: 120_000 }, () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`is accessible and fits on a phone in the ${colorScheme} theme`, async () => {
      const { page } = await browser.openApp(
        'settings',
        { colorScheme, viewport: { width: 360, height: 740 } },
        MEMORIES,
      );
      for (const title of ['Plan and usage', 'Models and keys', 'Profile', 'Import', 'Export', 'Erase']) {
        await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: title }).click();
        await settled(page);
        expect(await browser.axe(page), title).toEqual([]);
        expect(await fits(page), title).toBe(true);
      }
    });
  }
});
