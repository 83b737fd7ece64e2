import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NewMemory } from '../../src/contract/memories.ts';
import { startTestDaemon } from '../helpers/daemon.ts';

type Daemon = Awaited<ReturnType<typeof startTestDaemon>>;

let browser: Browser;
let daemon: Daemon;
let contexts: BrowserContext[] = [];
let addresses = 0;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  daemon = await startTestDaemon();
}, 60_000);
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
  // All browsers share one IP address: refill its rate limit without moving the wall clock.
  daemon.clock.advance(60_000);
  daemon.clock.setWall(Date.now());
});
afterAll(async () => {
  await browser?.close();
  await daemon?.close();
});

const freshAddress = () => `person${++addresses}@example.com`;

/** Opens a browser context and records console errors, warnings and content security policy violations. */
async function openBrowser(options: BrowserContextOptions = {}): Promise<{ page: Page; consoleErrors: string[] }> {
  const context = await browser.newContext(options);
  contexts.push(context);
  const consoleErrors: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text());
  });
  context.on('weberror', (error) => consoleErrors.push(String(error.error())));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return { page: await context.newPage(), consoleErrors };
}

async function requestLink(email: string, login?: object): Promise<string> {
  const after = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
  const response = await post('/v1/auth/magic-link', { email, ...(login && { login }) });
  expect(response.status).toBe(202);
  return daemon.mailbox.latestLink(email, { after });
}

const post = (path: string, body: object, apiKey?: string) =>
  fetch(`${daemon.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(body),
  });

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

const statusOf = async (apiKey: string) =>
  (await fetch(`${daemon.baseUrl}/v1/account`, { headers: bearer(apiKey) })).status;

/** Opens the dashboard of a fresh account and waits until it has loaded. */
async function openDashboard(page: Page, memories: (string | NewMemory)[] = []): Promise<string> {
  const email = freshAddress();
  const { apiKey } = await daemon.signIn(email);
  for (const memory of memories) {
    const body = typeof memory === 'string' ? { content: memory } : memory;
    expect((await post('/v1/memories', body, apiKey)).status).toBe(201);
  }
  await page.goto(`${daemon.baseUrl}/dashboard#key=${apiKey}`);
  await page.getByText(email).waitFor();
  await page.waitForLoadState('networkidle');
  return apiKey;
}

const memoryCards = (page: Page) => page.locator('#memory-list > li');

describe('signing in', { timeout: 30_000 }, () => {
  test('a browser that runs scripts without pressing the button consumes no token', async () => {
    const email = freshAddress();
    const { apiKey } = await daemon.signIn(email);
    const link = await requestLink(email);
    const scanner = await openBrowser();
    for (let visit = 0; visit < 5; visit++) await scanner.page.goto(link, { waitUntil: 'networkidle' });
    expect(await statusOf(apiKey)).toBe(200);

    const { page } = await openBrowser();
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(email).waitFor();
    expect(await statusOf(apiKey)).toBe(401);
  });

  test('pressing the button signs in and removes the key from the address bar', async () => {
    const email = freshAddress();
    const { page } = await openBrowser();
    await page.goto(await requestLink(email));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/dashboard*');
    expect(page.url()).toBe(`${daemon.baseUrl}/dashboard`);
    await page.getByRole('button', { name: 'Reveal' }).click();
    const key = await page.locator('#key-text').textContent();
    expect(key).toMatch(/^svc_live_[0-9a-f]{32}$/);
    expect(await statusOf(key ?? '')).toBe(200);
    await page.goBack();
    await page.goForward();
    expect(page.url()).not.toContain('svc_live_');
  });

  test('a link requested in the same browser signs in without confirmation', async () => {
    const email = freshAddress();
    const { page } = await openBrowser();
    await page.goto(`${daemon.baseUrl}/dashboard`);
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.getByText('If this address may sign in, a link is on its way').waitFor();
    const link = await daemon.mailbox.latestLink(email);
    const tab = await page.context().newPage();
    await tab.goto(link);
    await tab.getByText(email).waitFor();
    expect(tab.url()).toBe(`${daemon.baseUrl}/dashboard`);
  });

  test('a key replaced elsewhere returns to the signed-out view and leaves the page', async () => {
    const { page } = await openBrowser();
    const apiKey = await openDashboard(page);
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await fetch(`${daemon.baseUrl}/v1/auth/key`, { method: 'DELETE', headers })).status).toBe(204);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('replaced by a newer sign-in').waitFor();
    await expect.poll(() => page.getByLabel('Already have an API key?').isVisible()).toBe(true);
    expect(await page.content()).not.toContain(apiKey);
  });

  test('delivers the code to a terminal on this machine and shows the requesting device', async () => {
    const requests: string[] = [];
    const terminal = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => terminal.once('listening', resolve));
    const { port: redirectPort } = terminal.address() as AddressInfo;
    const codeChallenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
    const link = await requestLink(freshAddress(), { codeChallenge, redirectPort, device: 'desk <b>' });
    const { page, consoleErrors } = await openBrowser();
    await page.goto(link);
    await page.getByText('desk <b>').waitFor();
    await page.getByText('Continue only if you just ran').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Code sent to your terminal').waitFor();
    const code = (await page.locator('#code').textContent()) ?? '';
    expect(code).not.toBe('');
    expect(
      requests.filter((url) => url.startsWith('/callback?') && url.includes(encodeURIComponent(code))),
    ).toHaveLength(1);
    expect(consoleErrors).toEqual([]);
    terminal.close();
  });
});

describe('the page', { timeout: 30_000 }, () => {
  test('does not violate its content security policy', async () => {
    const { page, consoleErrors } = await openBrowser();
    await openDashboard(page, ['Tea without sugar.', '<img src=x onerror=alert(1)> <script>alert(1)</script>']);
    await page.getByRole('searchbox').fill('sugar');
    await page.keyboard.press('Enter');
    await page.locator('mark').first().waitFor();
    await page.getByLabel('JSON').check();
    expect(consoleErrors).toEqual([]);

    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.injected = true';
      document.body.append(script);
    });
    await expect.poll(() => consoleErrors.length).toBeGreaterThan(0);
    expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false);
  });

  test('stores the key nowhere in the browser', async () => {
    const { page } = await openBrowser();
    const apiKey = await openDashboard(page);
    const storage = await page.evaluate(async () => [
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
      JSON.stringify(await indexedDB.databases()),
      JSON.stringify(await caches.keys()),
      JSON.stringify(history.state),
      document.cookie,
      location.href,
    ]);
    const stored = JSON.stringify([storage, await page.context().storageState({ indexedDB: true })]);
    expect(stored).not.toContain(apiKey.slice(9));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForFunction(() => !performance.getEntriesByType('navigation')[0]?.name.includes('svc_live_'));
    await page.getByText('This page has forgotten your key').waitFor();
    expect(await page.content()).not.toContain(apiKey);
    expect(page.url()).toBe(`${daemon.baseUrl}/dashboard`);
  });

  test('opens with an existing key, which stays valid', async () => {
    const { apiKey } = await daemon.signIn(freshAddress());
    const { page } = await openBrowser();
    await page.goto(`${daemon.baseUrl}/dashboard`);
    await page.getByLabel('Already have an API key?').fill(apiKey);
    await page.getByRole('button', { name: 'Open dashboard' }).click();
    await page.getByText('Requests per minute').waitFor();
    await page.getByRole('meter', { name: 'Stored text' }).waitFor();
    await page.getByText('0 B of 1 GiB').waitFor();
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('finds a memory and forgets it', async () => {
    const { page } = await openBrowser();
    await openDashboard(page, ['Anna takes her tea without sugar.', 'The train leaves at nine.']);
    expect(await memoryCards(page).count()).toBe(2);
    await page.getByRole('searchbox').fill('sugar');
    await page.keyboard.press('Enter');
    await page.locator('mark', { hasText: 'sugar' }).waitFor();
    const card = memoryCards(page).filter({ hasText: 'tea' });
    const forget = card.getByRole('button', { name: /^Forget/ });
    await forget.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await card.count()).toBe(1);
    await forget.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await expect.poll(() => card.count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => memoryCards(page).allTextContents()).toHaveLength(1);
  });

  test('marks a pinned memory and no other', async () => {
    const { page } = await openBrowser();
    await openDashboard(page, [
      'Anna takes her tea without sugar.',
      { content: 'The train leaves at nine.', pinned: true },
    ]);
    const pinned = memoryCards(page).filter({ has: page.getByText('pinned', { exact: true }) });
    expect(await pinned.count()).toBe(1);
    expect(await pinned.textContent()).toContain('The train leaves at nine.');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [320, 360, 1280]) {
      test(`does not overflow at ${width} pixels in ${colorScheme} mode`, async () => {
        const { page } = await openBrowser({ colorScheme, viewport: { width, height: 800 } });
        const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
        await page.goto(`${daemon.baseUrl}/dashboard`);
        expect(await fits()).toBe(true);
        await openDashboard(page, ['unbroken'.repeat(60), 'Short.']);
        await page.getByRole('button', { name: 'Reveal' }).click();
        for (const form of ['URL and header', 'JSON', 'Local command']) {
          await page.getByLabel(form).check();
          expect(await fits()).toBe(true);
        }
      });
    }
  }
});
