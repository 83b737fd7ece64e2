import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';
import { EXTENSION_ID } from '@modelcontextprotocol/ext-apps/server';
import { build } from 'esbuild';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/client/client.ts';
import { browserTests, fits } from './browser.ts';

/** What a host of MCP Apps does, with the extension's own bridge. */
const HOST = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
window.openScreen = async (html, result, theme) => {
  const frame = Object.assign(document.createElement('iframe'), { title: 'Review' });
  frame.sandbox = 'allow-scripts';
  frame.style = 'width: 100%; border: 0; height: 100px';
  document.body.append(frame);
  const context = { hostContext: { theme } };
  const bridge = new AppBridge(null, { name: 'host', version: '1.0.0' }, { serverTools: {}, openLinks: {} }, context);
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.onopenlink = async ({ url }) => { window.openedLink = url; return {}; };
  bridge.onsizechange = ({ height }) => { frame.style.height = height + 'px'; };
  bridge.oninitialized = () => bridge.sendToolResult(result);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
};`;

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });
let host: string;
const open: Client[] = [];

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: HOST, resolveDir: import.meta.dirname },
    ...{ bundle: true, format: 'iife', platform: 'browser', write: false, logLevel: 'error' },
  });
  host = outputFiles[0]!.text;
});
afterAll(() => Promise.all(open.map((client) => client.close())));

async function connect(token: string): Promise<Client> {
  const capabilities = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };
  const client = new Client({ name: 'chat', version: '1.0.0' }, { capabilities });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${browser.daemon.baseUrl}/v1/mcp`), { requestInit }));
  open.push(client);
  return client;
}

const CONTENTS = [
  'I live in Linz, near the river',
  'I moved to Graz',
  '<b>My</b> phone is a Pixel 8',
  'My phone is a Fairphone 5',
];

async function openReview(theme: 'light' | 'dark' = 'light') {
  const { apiKey } = await browser.daemon.signIn(browser.freshAddress());
  const memories = CONTENTS.map((content) => ({ content }));
  const added = await browser.call(apiKey, '/v1/memories/batch', { memories });
  const ids = ((await added.json()) as { data: Memory[] }).data.map(({ id }) => id);
  const suggestions = [
    { kind: 'supersede', memoryIds: ids.slice(0, 2), reason: 'The second is newer' },
    { kind: 'contradiction', memoryIds: ids.slice(2), reason: 'One phone' },
    { kind: 'add', content: '<img src=x onerror=alert(1)> Ada is left-handed', reason: '<i>She</i> said so' },
  ];
  await browser.call(apiKey, '/v1/suggestions', { suggestions });
  const client = await connect(apiKey);
  const { contents } = await client.readResource({ uri: 'ui://svc/review' });
  const result = await client.callTool({ name: 'suggestions_review', arguments: {} });
  const { page, consoleErrors } = await browser.open({ viewport: { width: 480, height: 900 } });
  await page.exposeFunction('callTool', (params: Parameters<Client['callTool']>[0]) => client.callTool(params));
  await page.addScriptTag({ content: host });
  await page.evaluate(([html, shown, look]) => Reflect.get(window, 'openScreen')(html, shown, look), [
    (contents[0] as { text: string }).text,
    result,
    theme,
  ] as const);
  const screen = page.frameLocator('iframe');
  await screen.getByRole('heading', { name: 'Remember this?' }).waitFor();
  const current = async () => {
    const { data } = (await (await browser.call(apiKey, '/v1/memories?limit=50')).json()) as { data: Memory[] };
    return data.map(({ content }) => content);
  };
  return { page, screen, consoleErrors, current };
}

describe('the review screen in a host of MCP Apps', { timeout: 60_000 }, () => {
  test('accepts, undoes, rejects and chooses, by the buttons of a person', async () => {
    const { screen, current, consoleErrors } = await openReview();
    const card = (name: string) => screen.locator('article', { has: screen.getByRole('heading', { name }) });
    const older = card('Is the older one out of date?');
    await older.getByRole('button', { name: 'Accept' }).click();
    await older.getByText('Accepted.').waitFor();
    expect(await current()).not.toContain(CONTENTS[0]);
    await older.getByRole('button', { name: 'Undo' }).click();
    await older.getByRole('button', { name: 'Reject' }).click();
    await older.getByText('Rejected.').waitFor();
    expect(await current()).toContain(CONTENTS[0]);
    const phones = card('Which of these holds?');
    await phones.getByRole('button', { name: 'This one holds' }).last().click();
    await phones.getByText('Accepted.').waitFor();
    expect(await current()).not.toContain(CONTENTS[2]);
    expect(consoleErrors).toEqual([]);
  });

  test('shows markup of memories as text, fits a narrow chat, and follows its theme', async () => {
    const { page, screen, consoleErrors } = await openReview('dark');
    await screen.getByText('<img src=x onerror=alert(1)> Ada is left-handed').waitFor();
    await screen.getByText('<b>My</b> phone is a Pixel 8').waitFor();
    const frame = page.frames().at(-1) as Frame;
    expect(await frame.evaluate(() => document.querySelectorAll('b, i, img').length)).toBe(0);
    expect(await frame.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
    expect(await frame.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    expect(await fits(page)).toBe(true);
    await expect.poll(async () => (await page.locator('iframe').boundingBox())!.height).toBeGreaterThan(300);
    expect(consoleErrors).toEqual([]);
  });

  test('says why a decision was refused, and stays usable', async () => {
    const { screen } = await openReview();
    browser.daemon.clock.advance(31 * 60_000);
    const card = screen.locator('article').last();
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.getByRole('alert').getByText('Open it again').waitFor();
    expect(await card.getByRole('button', { name: 'Reject' }).isEnabled()).toBe(true);
  });
});
