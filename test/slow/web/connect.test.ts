import { describe, expect, test } from 'vitest';
import { askForDevice, poll } from '../../features/connections/device.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests();

const KEY = /svc_live_[0-9a-f]{32}/;

/** Sends what an assistant sends first. */
function initialize(apiKey: string, name: string) {
  return fetch(`${browser.daemon.baseUrl}/v1/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '2.1.0' } },
    }),
  });
}

describe('connecting an assistant', { timeout: 60_000 }, () => {
  test('takes two clicks to copy a configuration with the key of this sign-in', async () => {
    const { page, apiKey } = await browser.openApp('connect', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('link', { name: 'Cursor' }).click();
    await page.getByRole('button', { name: 'Copy configuration' }).click();
    await page.getByText('Copied').first().waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied).toEqual({
      mcpServers: {
        svc: { url: `${browser.daemon.baseUrl}/v1/mcp`, headers: { Authorization: `Bearer ${apiKey}` } },
      },
    });
  });

  test('shows the key only once it is revealed', async () => {
    const { page, apiKey } = await browser.openApp('connect?assistant=codex');
    await page.getByText('Copy this key now').waitFor();
    expect(await page.locator('#app').textContent()).not.toMatch(KEY);
    await page.getByRole('button', { name: 'Reveal' }).first().click();
    await expect.poll(() => page.locator('.fresh-key-text').textContent()).toBe(apiKey);
    await expect.poll(() => page.locator('.side-pane pre').textContent()).toContain(apiKey);
    await page.getByRole('button', { name: 'Hide' }).first().click();
    await expect.poll(() => page.locator('#app').textContent()).not.toMatch(KEY);
  });

  test('does not know the key after a reload', async () => {
    const { page } = await browser.openApp('connect?assistant=codex&via=http');
    await page.reload();
    await page.getByText('svc_live_<your key>').first().waitFor();
    await expect.poll(() => page.getByText('Copy this key now').count()).toBe(0);
    expect(await page.content()).not.toMatch(KEY);
  });

  test('says when the assistant has connected, without a reload', async () => {
    const { page, apiKey } = await browser.openApp('connect?assistant=claude-code');
    await page.getByText('Waiting for Claude Code…').waitFor();
    expect((await initialize(apiKey, 'claude-code')).status).toBe(200);
    await page.getByText('Claude Code is connected').waitFor({ timeout: 15_000 });
    await page.getByText(/last request \d+ s ago/).waitFor();
    await page.getByRole('link', { name: /Claude Code\s*seen just now/ }).waitFor();
  });

  test('keeps the assistant, the connection and the system in the address', async () => {
    const { page } = await browser.openApp('connect');
    await page.getByRole('searchbox', { name: 'Find an assistant' }).fill('zed');
    await page.getByRole('link', { name: 'Zed' }).click();
    await page.getByLabel('Windows').check();
    await page.getByText('%APPDATA%\\Zed\\settings.json').waitFor();
    await page.locator('.side-pane').getByLabel('Local command').check();
    const address = new URL(page.url());
    expect(Object.fromEntries(address.searchParams)).toEqual({ assistant: 'zed', system: 'windows', via: 'stdio' });
    await page.keyboard.press('Escape');
    await page.getByText('Connect Zed').waitFor({ state: 'detached' });
  });

  test('fits on a phone and is accessible with the pane open', async () => {
    const { page, consoleErrors } = await browser.openApp('connect?assistant=vscode', {
      viewport: { width: 360, height: 740 },
    });
    await settled(page);
    await page.getByRole('button', { name: 'Reveal' }).last().click();
    expect(await fits(page)).toBe(true);
    expect(await browser.axe(page)).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });
});

describe('the link that adds svc with one click', { timeout: 60_000 }, () => {
  test.each(['light', 'dark'] as const)(
    'fits on a phone, is reached by the keyboard and accessible: %s',
    async (colorScheme) => {
      const options = { colorScheme, viewport: { width: 375, height: 740 } };
      const { page, apiKey, consoleErrors } = await browser.openApp('connect?assistant=cursor&via=stdio', options);
      const link = page.getByRole('link', { name: 'Add to Cursor' });
      await link.waitFor();
      await settled(page);
      const config = async () => {
        const href = new URL((await link.getAttribute('href'))!);
        return JSON.parse(atob(href.searchParams.get('config')!));
      };
      expect(await config()).toEqual({ command: 'svc', args: ['mcp'] });
      const isFocused = () => link.evaluate((element) => element === document.activeElement);
      for (let presses = 0; presses < 40 && !(await isFocused()); presses++) await page.keyboard.press('Tab');
      expect(await isFocused()).toBe(true);
      expect(await fits(page)).toBe(true);
      expect(await browser.axe(page)).toEqual([]);
      await page.locator('.side-pane').getByLabel('URL and key').check();
      await page.getByText('The link holds the key above').waitFor();
      expect((await config()).headers).toEqual({ Authorization: `Bearer ${apiKey}` });
      await page.reload();
      await page.getByText('The link holds no key').waitFor();
      expect(JSON.stringify(await config())).not.toMatch(KEY);
      await link.click();
      expect(page.url()).toContain('/dashboard/connect');
      expect(consoleErrors.filter((text) => text.startsWith('policy:'))).toEqual([]);
    },
  );

  test('is absent for an assistant that has none', async () => {
    const { page } = await browser.openApp('connect?assistant=codex');
    await page.getByRole('heading', { name: 'In a terminal' }).waitFor();
    expect(await page.getByRole('heading', { name: 'With one click' }).count()).toBe(0);
  });
});

describe('what uses the account', { timeout: 60_000 }, () => {
  test('the key is revoked only after a confirmation, and the page stays signed in', async () => {
    const { page, apiKey } = await browser.openApp('connect');
    const statusOf = async () => (await browser.call(apiKey, '/v1/account')).status;
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf()).toBe(200);
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The account has no API key').waitFor();
    expect(await statusOf()).toBe(401);
  });

  test('another browser is listed and signed out at once', async () => {
    const { page, apiKey } = await browser.openApp('connect');
    const rows = page.getByRole('list', { name: 'Connections' }).getByRole('listitem');
    await rows.first().waitFor();
    const before = await rows.count();
    const other = await browser.open();
    await other.page.goto(`${browser.daemon.baseUrl}/dashboard#key=${apiKey}`);
    await other.page.getByRole('button', { name: 'Open the account' }).click();
    await other.page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.reload();
    await expect.poll(() => rows.count()).toBe(before + 1);
    await page.getByRole('button', { name: /^Revoke Chrome/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => rows.count()).toBe(before);
    await other.page.reload();
    await other.page.getByLabel('Email address').waitFor();
  });
});

test('sessions of one browser are one line, and all other browsers are signed out', { timeout: 60_000 }, async () => {
  const { page, apiKey } = await browser.openApp('connect');
  for (let count = 0; count < 2; count++) {
    const other = await browser.open();
    await other.page.goto(`${browser.daemon.baseUrl}/dashboard#key=${apiKey}`);
    await other.page.getByRole('button', { name: 'Open the account' }).click();
    await other.page.getByRole('navigation', { name: 'Views' }).waitFor();
  }
  await page.reload();
  await page.getByText('2 sessions').waitFor();
  await page.getByRole('button', { name: 'Sign out all other browsers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  const rows = page.getByRole('list', { name: 'Connections' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByText('this one').waitFor();
});

describe('a device that asks to be connected', { timeout: 60_000 }, () => {
  test('is allowed by the link of its terminal, listed, and revoked', async () => {
    const { page, email, apiKey, consoleErrors } = await browser.openApp('connect', {
      viewport: { width: 390, height: 844 },
    });
    const { deviceCode, userCode } = await askForDevice(browser.daemon, email);
    await page.goto(`${browser.daemon.baseUrl}/dashboard/connect?device=${userCode}`);
    const question = page.getByRole('region', { name: 'Connect a device' });
    await question.getByText(`laptop (Linux) to ${email}?`).waitFor();
    expect(await question.textContent()).toContain(userCode);
    expect(await fits(page)).toBe(true);
    expect(await browser.axe(page)).toEqual([]);
    await question.getByRole('button', { name: 'Allow' }).click();
    await question.waitFor({ state: 'detached' });
    const { token } = (await poll(browser.daemon, deviceCode)).body;
    await page.getByText('laptop on Linux').waitFor({ timeout: 15_000 });
    await page.getByRole('button', { name: 'Revoke laptop on Linux' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('laptop on Linux', { exact: true }).waitFor({ state: 'detached' });
    expect((await browser.call(token, '/v1/account')).status).toBe(401);
    expect((await browser.call(apiKey, '/v1/account')).status).toBe(200);
    expect(consoleErrors).toEqual([]);
  });

  test('is denied with a typed code; an unknown code says what to do', async () => {
    const { page, email } = await browser.openApp('connect');
    const { deviceCode, userCode } = await askForDevice(browser.daemon, email);
    await page.getByLabel('To connect another machine').fill('0000-0000');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No device waits for this account with this code.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('To connect another machine').fill(userCode.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied laptop.').waitFor();
    expect((await poll(browser.daemon, deviceCode)).status).toBe(403);
  });

  test('tells a browser without a session how to keep the key, and not the code, which a stranger may have sent', async () => {
    const { page } = await browser.open();
    await page.goto(`${browser.daemon.baseUrl}/dashboard/connect?device=7KQ2-M9XD`);
    await page.getByText('A terminal asks to connect to an account.').waitFor();
    expect(await page.content()).not.toContain('7KQ2-M9XD');
  });
});
