import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientRequest, mcpStatus, redeem, requestOf } from '../../features/oauth/oauth-flow.ts';
import { browserTests, fits } from './browser.ts';

const browser = browserTests({ config: { oauth: 'on' } });

let client: Server;
let callback: string;

/** A client's website: any page links to the address of its query, and its callback says that it was called. */
beforeAll(async () => {
  client = createServer((request, response) => {
    const address = new URL(request.url ?? '', 'http://localhost').searchParams.get('to');
    response.setHeader('content-type', 'text/html');
    response.end(address ? `<a href="${address.replaceAll('&', '&amp;')}">Connect</a>` : '<h1>Back at the client</h1>');
  });
  await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
  callback = `http://localhost:${(client.address() as AddressInfo).port}/callback`;
});
afterAll(() => client.close());

const authorizeUrl = ({ query }: ClientRequest) => `${browser.daemon.baseUrl}/v1/oauth/authorize?${query}`;

async function clientRequest(more: Record<string, string> = {}): Promise<ClientRequest> {
  const body = { client_name: 'Garden planner', redirect_uris: [callback] };
  const registered = await browser.call(undefined, '/v1/oauth/register', body);
  const { client_id } = (await registered.json()) as { client_id: string };
  return requestOf(browser.daemon, { redirect_uri: callback, client_id, ...more });
}

describe('connecting an OAuth client', { timeout: 60_000 }, () => {
  test('a link on another site opens the question, Allow leads back with a code', async () => {
    const { page, email, consoleErrors } = await browser.openApp();
    const request = await clientRequest();
    await page.goto(`${callback}?${new URLSearchParams({ to: authorizeUrl(request) })}`);
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByText('Garden planner wants to use the memories of').waitFor();
    const text = (await page.locator('main').textContent()) ?? '';
    for (const shown of [email, 'any program can use this name', 'a program on this computer (localhost)']) {
      expect(text).toContain(shown);
    }
    expect(await browser.axe(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await fits(page)).toBe(true);
    await page.getByLabel('only read memories').check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('state')).toBe('as sent');
    const { body } = await redeem(browser.daemon, searchParams.get('code') ?? '', request);
    expect(body.scope).toBe('memory:read');
    expect(await mcpStatus(browser.daemon, body.access_token)).toBe(200);
    expect(consoleErrors).toEqual([]);
  });

  test('a visitor without a session allows it by the mailed link, with and without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const email = browser.freshAddress();
      const { page, consoleErrors } = await browser.open({ javaScriptEnabled });
      const request = await clientRequest();
      await page.goto(authorizeUrl(request));
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByLabel('Email address').fill(email);
      if (javaScriptEnabled) expect(await browser.axe(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      if (javaScriptEnabled) expect(await browser.axe(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      const link = await browser.daemon.mailbox.latestLink(email);
      // Read elsewhere: a link pasted into the page that waits.
      if (javaScriptEnabled) await page.goto(link);
      else {
        await page.getByLabel('Reading the email elsewhere?').fill(link);
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      await page.getByText('Garden planner wants to use the memories of').waitFor();
      if (javaScriptEnabled) expect(await browser.axe(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
      const { body } = await redeem(browser.daemon, new URL(page.url()).searchParams.get('code') ?? '', request);
      expect(await mcpStatus(browser.daemon, body.access_token)).toBe(200);
      // That there is no session.
      expect(consoleErrors.filter((text) => !text.includes('401'))).toEqual([]);
    }
  });

  test('a visitor signs in first, in another tab, and then denies', async () => {
    const { apiKey } = await browser.daemon.signIn(browser.freshAddress());
    const { page } = await browser.open();
    await page.goto(authorizeUrl(await clientRequest()));
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'sign in to the web app' }).click(),
    ]);
    await tab.getByLabel('Already have an API key?').fill(apiKey);
    await tab.getByRole('button', { name: 'Open', exact: true }).click();
    await tab.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.bringToFront();
    // Headless tabs do not notice that they come to the front.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  test('a request with a fault goes back to the client, unless where to is the fault', async () => {
    const { page } = await browser.openApp();
    await page.goto(authorizeUrl(await clientRequest({ resource: 'https://other.example/mcp' })));
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('invalid_target');
    await page.goto(authorizeUrl(await clientRequest({ redirect_uri: 'https://evil.example/' })));
    await page.getByText('redirect_uri is not one that the client registered').waitFor();
    expect(await page.getByRole('link', { name: 'Return to the program' }).count()).toBe(0);
  });

  // The last is the control: a number is kept to.
  test.each([
    ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 1],
    ['text', 'soon', 1],
    ['zero', '0', 1],
    ['nothing', undefined, 1],
    ['a number', '3', 3],
  ])('a 429 whose Retry-After is %s is repeated after the wait, not before', async (_, header, seconds) => {
    const { page } = await browser.openApp();
    let requests = 0;
    await page.route('**/v1/oauth/consent?*', (route) => {
      requests += 1;
      if (requests > 1) return route.continue();
      return route.fulfill({ status: 429, headers: header === undefined ? {} : { 'retry-after': header } });
    });
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.goto(authorizeUrl(await clientRequest()));
    await page.locator('#waiting').waitFor();
    await page.clock.runFor(seconds * 1000 - 1);
    // A request that had begun would arrive before this one.
    await page.evaluate(() => fetch('/healthz'));
    expect(requests).toBe(1);
    await page.clock.runFor(1);
    await page.getByText('Garden planner wants to use the memories of').waitFor();
    expect(requests).toBe(2);
    expect(await page.locator('#waiting').isVisible()).toBe(false);
  });
});
