import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/contract/jobs.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import { parseAllowedHost } from '../../../src/outside/providers/provider-address.ts';
import { extracted, KEY, labelOf, numberOf } from '../../features/extraction/extraction-daemon.ts';
import { type ProviderServer, PUBLISHED, startProviderServer } from '../../helpers/providers/server.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({
  config: { defaultTier: 'Enterprise', providerHosts: [parseAllowedHost('127.0.0.1')] },
});

const TEA = 'Ada drinks green tea in the morning.';
const RAIN = 'Ada likes rain in the evening.';
const OSLO = 'Ada lives in Oslo.';
const BERGEN = 'Ada lives in Bergen.';
/** Its text is shown as a difference. */
const REPLACING = 'Replace a memory';
const SAID = [
  'I drink green tea every morning.',
  'I like rain in the evening.',
  'I moved from Bergen to Oslo last week.',
];

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer('openai', { key: KEY });
});
afterAll(() => server.close());

async function send<Answer>(apiKey: string, path: string, body: object, method?: string): Promise<Answer> {
  const response = await browser.call(apiKey, path, body, method);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

const putKey = (apiKey: string) =>
  send(apiKey, '/v1/provider-keys/openai', { key: KEY, baseUrl: server.baseUrl }, 'PUT');

/** Opens a conversation of an account with a provider key. */
async function open() {
  server.reset();
  const opened = await browser.openApp('', { viewport: { width: 1440, height: 900 } }, [{ content: BERGEN }]);
  const { page, apiKey } = opened;
  await putKey(apiKey);
  const { id } = await send<{ id: string }>(apiKey, '/v1/conversations', { title: 'A talk' });
  const messages = SAID.map((content) => ({ role: 'user', content }));
  await send(apiKey, `/v1/conversations/${id}/messages`, { messages });
  server.respond((asked) => ({
    memories: [
      extracted(TEA, [numberOf(asked, 'green tea')]),
      extracted(RAIN, [numberOf(asked, 'rain')]),
      extracted(OSLO, [numberOf(asked, 'Oslo')], { decision: 'supersede', known: labelOf(asked, BERGEN) }),
    ],
  }));
  await page.goto(`${browser.daemon.baseUrl}/dashboard/conversations?id=${id}`);
  await settled(page);
  return { ...opened, id };
}

const extract = (page: Page) => page.getByRole('button', { name: 'Extract memories' }).click();
/** A suggestion. The messages below list the memories that came from them, with the same text. */
const suggestion = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Suggestions' }).getByRole('listitem').filter({ hasText: text });
const jobs = async (apiKey: string) =>
  ((await (await browser.call(apiKey, '/v1/jobs')).json()) as { data: Job[] }).data;

async function stored(apiKey: string): Promise<Memory[]> {
  return ((await (await browser.call(apiKey, '/v1/memories')).json()) as { data: Memory[] }).data;
}

describe('extraction with a dry run', { timeout: 60_000 }, () => {
  test('stores the suggestions that are accepted, one by one, and none that is dismissed', async () => {
    const { page, apiKey, id, consoleErrors } = await open();
    await extract(page);
    await page.getByText('3 suggestions. Nothing is stored until you accept it.').waitFor();
    expect((await stored(apiKey)).map(({ content }) => content)).toEqual([BERGEN]);
    expect(await browser.axe(page)).toEqual([]);

    await suggestion(page, TEA).getByRole('button', { name: 'Accept' }).click();
    await suggestion(page, TEA).getByText('Stored.').waitFor();
    await suggestion(page, RAIN).getByRole('button', { name: 'Dismiss' }).click();
    await suggestion(page, RAIN).getByText('Dismissed.').waitFor();
    await suggestion(page, REPLACING).locator('del', { hasText: 'Bergen' }).waitFor();
    // By keyboard: the focus is where the buttons were that were pressed last.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await suggestion(page, REPLACING).getByText('Stored.').waitFor();

    const memories = await stored(apiKey);
    expect(memories.map(({ content }) => content).sort()).toEqual([TEA, OSLO].sort());
    for (const { source } of memories) {
      expect(source).toEqual({ conversationId: id, messageId: expect.stringMatching(/^msg_/) });
    }
    expect(await browser.axe(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await fits(page)).toBe(true);
    await page.locator('.message-notes', { hasText: TEA }).waitFor();
    await suggestion(page, TEA).getByRole('link', { name: 'Show the memory' }).click();
    await page.waitForURL(/\/dashboard\/memories\?.*id=mem_/);
    expect(consoleErrors).toEqual([]);
  });

  test('says that the provider fails while it is tried again, and ends when it is closed', async () => {
    const { page, apiKey } = await open();
    server.state.troubleFor = async () => ({ status: 503, body: { error: { message: 'overloaded' } } });
    await extract(page);
    await page.getByText('The model did not answer. svc tries again').waitFor();
    await page.getByText('What happened: The provider failed').waitFor();
    expect((await jobs(apiKey)).map(({ state }) => state)).toEqual(['queued']);
    await extract(page);
    await expect.poll(async () => (await jobs(apiKey)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('says that the provider refuses the key, and tries again with another one', async () => {
    const { page, apiKey } = await open();
    server.state.troubleFor = async () => PUBLISHED.openai.wrongKey;
    await extract(page);
    const alert = page.getByRole('alert');
    await alert.getByText('Nothing was stored.').waitFor();
    expect(await alert.getByRole('link', { name: 'Settings' }).getAttribute('href')).toContain('section=providers');
    expect(await browser.axe(page)).toEqual([]);
    server.reset();
    await putKey(apiKey);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('3 suggestions.').waitFor();
  });
});
