import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Webhook } from '../../../src/contract/webhooks.ts';
import { parseAllowedHost } from '../../../src/outside/providers/provider-address.ts';
import { type Receiver, startReceiver, verify } from '../../features/webhooks/receiver.ts';
import { browserTests, fits, settled } from './browser.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());

const browser = browserTests({ config: { providerHosts: [parseAllowedHost('127.0.0.1')] } });
const SECTION = 'settings?section=webhooks';

test('a webhook is added by keyboard, tested, paused and removed; its secret is shown once', {
  timeout: 60_000,
}, async () => {
  const { page, consoleErrors } = await browser.openApp(SECTION);
  await page.getByRole('button', { name: 'Add webhook' }).press('Enter');
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByLabel('Events').selectOption('Memories');
  await page.getByLabel('Address').press('Enter');
  await page.getByText('Copy the secret now').waitFor();
  const secret = (await page.locator('.webhook-secret code').textContent())!;
  await page.getByRole('button', { name: `Test: ${receiver.url}` }).click();
  await page.getByText('The receiver answered with status 204.').waitFor();
  verify(receiver.requests.at(-1)!, secret);
  await expect.poll(() => page.content()).not.toContain(secret);
  await page.getByText('delivered').waitFor();
  await page.getByRole('button', { name: `Pause: ${receiver.url}` }).click();
  await page.getByText('Paused.').waitFor();
  await page.getByRole('button', { name: `Remove: ${receiver.url}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Removed.').waitFor();
  await expect.poll(() => page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem').count()).toBe(0);
  expect(consoleErrors).toEqual([]);
});

test('a failed delivery is listed with its reason and replayed', { timeout: 60_000 }, async () => {
  const { page, apiKey } = await browser.openApp(SECTION);
  receiver.answerStatus(410);
  const added = await browser.call(apiKey, '/v1/webhooks', { url: receiver.url });
  const { id } = (await added.json()) as Webhook;
  await browser.call(apiKey, '/v1/memories', { content: 'Ada drinks tea' });
  const isActive = async () => ((await (await browser.call(apiKey, `/v1/webhooks/${id}`)).json()) as Webhook).active;
  await expect.poll(isActive, { timeout: 15_000 }).toBe(false);
  await page.reload();
  await page.getByText('The receiver answered with status 410.').first().waitFor();
  await page.getByText('Failed deliveries').click();
  receiver.answerStatus(200);
  await page.getByRole('button', { name: /^Replay memory.created mem_/ }).click();
  await page.getByText('None.').waitFor();
  expect(receiver.requests.at(-1)!.event.type).toBe('memory.created');
});

test.each(['light', 'dark'] as const)(
  'the section is accessible and fits a phone, %s',
  { timeout: 60_000 },
  async (colorScheme) => {
    const { page, apiKey } = await browser.openApp(SECTION, { colorScheme, viewport: { width: 375, height: 740 } });
    const url = `${receiver.url}&long=${'unbroken'.repeat(40)}`;
    receiver.answerStatus(500);
    const { id } = (await (await browser.call(apiKey, '/v1/webhooks', { url })).json()) as Webhook;
    await browser.call(apiKey, `/v1/webhooks/${id}/test`, undefined, 'POST');
    await page.reload();
    await page.getByText('status 500').waitFor();
    await page.getByText('Failed deliveries').click();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await settled(page);
    expect(await fits(page)).toBe(true);
    expect(await browser.axe(page)).toEqual([]);
  },
);
