import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests();

async function requestLink(email: string, login?: object): Promise<string> {
  const after = (await browser.daemon.mailbox.mailsTo(email)).at(-1)?.name;
  const response = await browser.call(undefined, '/v1/auth/magic-link', { email, ...(login && { login }) });
  expect(response.status).toBe(202);
  return browser.daemon.mailbox.latestLink(email, { after });
}

const statusOf = async (apiKey: string) => (await browser.call(apiKey, '/v1/account')).status;
const pageUrl = () => `${browser.daemon.baseUrl}/dashboard`;

describe('signing in', { timeout: 60_000 }, () => {
  test('a browser that runs scripts without pressing the button consumes no token', async () => {
    const email = browser.freshAddress();
    const { apiKey } = await browser.daemon.signIn(email);
    const link = await requestLink(email);
    const scanner = await browser.open();
    for (let visit = 0; visit < 5; visit++) await scanner.page.goto(link, { waitUntil: 'networkidle' });
    expect(await statusOf(apiKey)).toBe(200);

    const { page } = await browser.open();
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(await statusOf(apiKey)).toBe(401);
  });

  test('a sign-in opens the app, shows the new key and removes it from the address bar', async () => {
    const { page } = await browser.open();
    await page.goto(await requestLink(browser.freshAddress()));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(page.url()).toBe(pageUrl());
    await page.getByRole('link', { name: 'Connect' }).first().click();
    await page.getByRole('button', { name: 'Reveal' }).first().click();
    const key = /svc_live_[0-9a-f]{32}/.exec((await page.locator('main').textContent()) ?? '')?.[0];
    expect(await statusOf(key ?? '')).toBe(200);
    await page.goBack();
    await page.goForward();
    expect(page.url()).not.toContain('svc_live_');
  });

  test('a link requested in the same browser signs in without confirmation', async () => {
    const email = browser.freshAddress();
    const { page } = await browser.open();
    await page.goto(pageUrl());
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.getByText('If this address may sign in, a link is on its way').waitFor();
    const tab = await page.context().newPage();
    await tab.goto(await browser.daemon.mailbox.latestLink(email));
    await tab.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(tab.url()).toBe(pageUrl());
  });

  test('an existing key opens the app and stays valid', async () => {
    const { apiKey } = await browser.daemon.signIn(browser.freshAddress());
    const { page } = await browser.open();
    await page.goto(pageUrl());
    await page.getByLabel('Already have an API key?').fill('svc_live_nonsense');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('An API key is svc_live_ followed by').waitFor();
    await page.getByLabel('Already have an API key?').fill(apiKey);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('a key that stopped says why', async () => {
    const email = browser.freshAddress();
    const { apiKey } = await browser.daemon.signIn(email);
    await browser.daemon.signInByMail(email);
    const { page } = await browser.open();
    await page.goto(`${pageUrl()}#key=${apiKey}`);
    await page.getByText(/This API key was replaced by a sign-in/).waitFor();
  });

  test('a link with a key asks before it opens the account, and stores nothing before', async () => {
    const email = browser.freshAddress();
    const { apiKey } = await browser.daemon.signIn(email);
    const sessions = async () =>
      ((await (await browser.call(apiKey, '/v1/connections')).json()) as { data: unknown[] }).data.length;
    const before = await sessions();
    const { page } = await browser.open();
    await page.goto(`${pageUrl()}#key=${apiKey}`);
    await page.getByText(`This link opens the account of ${email}`).waitFor();
    expect(page.url()).toBe(pageUrl());
    expect([await page.context().cookies(), await sessions()]).toEqual([[], before]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(apiKey);
    expect(await browser.axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Email address').waitFor();
    expect([await page.context().cookies(), await sessions()]).toEqual([[], before]);

    await page.goto('about:blank');
    await page.goto(`${pageUrl()}#key=${apiKey}`);
    await page.getByRole('button', { name: 'Open the account' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(await sessions()).toBe(before + 1);
  });

  test('a link of svc open asks in a browser that has no session, and goes on without where it has one', async () => {
    const email = browser.freshAddress();
    const { apiKey } = await browser.daemon.signIn(email);
    const open = async () => (await (await browser.call(apiKey, '/v1/session/ticket', {})).json()) as { url: string };
    const { page } = await browser.open();
    const goTo = async ({ url }: { url: string }) => {
      await page.goto('about:blank');
      await page.goto(pageUrl() + new URL(url).hash);
    };
    const link = await open();
    await goTo(link);
    await page.getByText(`This link opens the account of ${email}`).waitFor();
    expect([page.url(), await page.context().cookies()]).toEqual([pageUrl(), []]);
    await page.getByRole('button', { name: 'Open the account' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await goTo(await open());
    await page.getByRole('navigation', { name: 'Views' }).waitFor();

    const { page: other } = await browser.open();
    await other.goto(pageUrl() + new URL(link.url).hash);
    await other.getByText('This link has been used or has expired').waitFor();
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
    const link = await requestLink(browser.freshAddress(), { codeChallenge, redirectPort, device: 'desk <b>' });
    const { page, consoleErrors } = await browser.open();
    await page.goto(link);
    await page.getByText('desk <b>').waitFor();
    await page.getByText('Continue only if you just ran').waitFor();
    expect(await browser.axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Code sent to your terminal').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Continue in your terminal' }).waitFor();
    const code = (await page.locator('#code').textContent()) ?? '';
    expect(code).not.toBe('');
    const delivered = requests.filter((url) => url.startsWith('/callback?') && url.includes(encodeURIComponent(code)));
    expect(delivered).toHaveLength(1);
    expect(consoleErrors).toEqual([]);
    terminal.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the sign-in screen is accessible and fits at 320 pixels in ${colorScheme} mode`, async () => {
      const { page } = await browser.open({ colorScheme, viewport: { width: 320, height: 700 } });
      await page.goto(pageUrl());
      await page.getByLabel('Email address').waitFor();
      expect(await browser.axe(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
    });
  }
});

describe('the session', { timeout: 60_000 }, () => {
  test('survives a reload, and ends everywhere when the page signs out', async () => {
    const { page } = await browser.openApp('memories');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor();
    const cookie = (await page.context().cookies()).find(({ name }) => name.includes('svc'))!;
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    await page.locator('summary[aria-label=Account]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').waitFor();
    const headers = { cookie: `${cookie.name}=${cookie.value}` };
    expect((await fetch(`${browser.daemon.baseUrl}/v1/account`, { headers })).status).toBe(401);
  });

  test('that was revoked elsewhere returns to the sign-in screen', async () => {
    const { page, apiKey } = await browser.openApp();
    await settled(page);
    const { data } = (await (await browser.call(apiKey, '/v1/connections')).json()) as { data: { id: string }[] };
    for (const { id } of data) {
      expect((await browser.call(apiKey, `/v1/connections/${id}`, undefined, 'DELETE')).status).toBe(204);
    }
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Activity' }).click();
    await page.getByLabel('Email address').waitFor();
  });

  test('leaves the key nowhere in the browser', async () => {
    const { page, apiKey } = await browser.openApp();
    await settled(page);
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
    await page.locator('summary[aria-label=Account]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').waitFor();
    await page.waitForFunction(() => !performance.getEntriesByType('navigation')[0]?.name.includes('svc_live_'));
    expect(await page.content()).not.toContain(apiKey);
  });
});

describe('what the account stores', { timeout: 120_000 }, () => {
  const HOSTILE = [
    '<img src=x onerror=alert(1)> <script>alert(1)</script>',
    '[link](javascript:alert(1)) javascript:alert(1)',
    '\u202eevil \u2066text\u2069 ‮',
    'مرحبا بالعالم، هذا نص من اليمين إلى اليسار',
    'w'.repeat(90_000),
  ];

  test('is shown as text in every view, and the policy reports nothing', async () => {
    const memories = HOSTILE.map((content) => ({
      content,
      tags: [content.slice(0, 200)],
      user: content.slice(0, 200),
    }));
    const { page, consoleErrors, apiKey } = await browser.openApp(
      '',
      { viewport: { width: 360, height: 740 } },
      memories,
    );
    for (const content of HOSTILE) {
      const conversation = (await (
        await browser.call(apiKey, '/v1/conversations', { title: content.slice(0, 200), user: content.slice(0, 200) })
      ).json()) as { id: string };
      const messages = [{ role: 'user', content, name: content.slice(0, 60) }];
      await browser.call(apiKey, `/v1/conversations/${conversation.id}/messages`, { messages });
    }
    await settled(page);
    for (const view of ['home', 'memories', 'map', 'conversations', 'recall', 'learning', 'activity', 'settings']) {
      await browser.show(page, view);
      expect(await fits(page), view).toBe(true);
    }
    expect(consoleErrors).toEqual([]);
    expect(
      await page.evaluate(() => document.querySelectorAll('main img, main script, main a[href^=javascript]').length),
    ).toBe(0);
  });

  test('a script that gets into the page anyway does not run', async () => {
    const { page, consoleErrors } = await browser.openApp();
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.injected = true';
      document.body.append(script);
    });
    await expect.poll(() => consoleErrors.length).toBeGreaterThan(0);
    expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false);
  });
});
