import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { NewMessage } from '../../../src/contract/conversations.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const WIDE = { viewport: { width: 1440, height: 900 } };
const START_MS = Date.parse('2026-05-04T08:00:00Z');
const TRIP: NewMessage[] = [
  { role: 'user', name: 'Ada', content: 'I want to visit Lisbon in May.' },
  { role: 'assistant', content: 'A week in mid-May is quiet and warm.' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I looked for trains.' },
      { type: 'tool_call', id: 'call_1', name: 'search_trains', arguments: { from: 'Madrid' } },
    ],
  },
  { role: 'user', name: 'Ada', content: 'Kai is vegetarian, by the way.' },
];

/** Messages that are a minute apart. */
const numbered = (count: number): NewMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `This is message number ${index + 1} of a long planning session`,
    createdAt: new Date(START_MS + index * 60_000).toISOString(),
  }));

interface Stored {
  id: string;
  messageIds: string[];
}

async function send<Answer>(apiKey: string, path: string, body: object): Promise<Answer> {
  const response = await browser.call(apiKey, path, body);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

async function append(apiKey: string, id: string, messages: NewMessage[]): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < messages.length; start += 500) {
    const body = { messages: messages.slice(start, start + 500) };
    const { data } = await send<{ data: { id: string }[] }>(apiKey, `/v1/conversations/${id}/messages`, body);
    ids.push(...data.map((message) => message.id));
  }
  return ids;
}

async function converse(apiKey: string, title: string, messages: NewMessage[]): Promise<Stored> {
  const { id } = await send<{ id: string }>(apiKey, '/v1/conversations', { title });
  return { id, messageIds: await append(apiKey, id, messages) };
}

/** Signs in an account with one conversation and opens it. */
async function open(messages = TRIP, options: Parameters<typeof browser.openApp>[1] = WIDE) {
  const opened = await browser.openApp('conversations', options);
  const stored = await converse(opened.apiKey, 'Planning the trip', messages);
  await go(opened.page, `id=${stored.id}`);
  return { ...opened, ...stored };
}

async function go(page: Page, search: string): Promise<void> {
  await page.goto(`${browser.daemon.baseUrl}/dashboard/conversations?${search}`);
  await settled(page);
}

const index = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const message = (page: Page, text: string) => page.locator('.message', { hasText: text });

const MARKDOWN = `## Trains to Lisbon

1. **Madrid** by the *night train*
2. Book at [the railway](https://www.example.com/book)

| from | hours | class | line |
|:---|---:|:-:|---|
| Madrid | 9 | 2nd | Lusitania |

\`\`\`sh
rail book --to lisbon
\`\`\`

<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>
[Claim it](javascript:document.title='owned') ![map](https://tracker.example/map.png)`;

describe('the reader', () => {
  test('renders the Markdown of assistants without running or loading anything in it', {
    timeout: 60_000,
  }, async () => {
    const { page, consoleErrors } = await open([
      { role: 'assistant', content: MARKDOWN },
      { role: 'user', content: '**As I typed it**' },
    ]);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    const answer = message(page, 'Trains to Lisbon');
    await answer.locator('strong', { hasText: 'Trains to Lisbon' }).waitFor();
    expect(await browser.axe(page)).toEqual([]);
    await answer.getByRole('listitem').filter({ hasText: 'night train' }).locator('em').waitFor();
    await answer.getByRole('cell', { name: 'Madrid' }).waitFor();
    const alignments = (cells: string) =>
      answer.locator(cells).evaluateAll((found) => found.map((cell) => getComputedStyle(cell).textAlign));
    expect(await alignments('th')).toEqual(['left', 'right', 'center', 'start']);
    expect(await alignments('td')).toEqual(['left', 'right', 'center', 'start']);
    expect(await answer.locator('pre').textContent()).toBe('rail book --to lisbon');
    const link = answer.getByRole('link', { name: 'the railway' });
    expect(await link.evaluate((element) => [element.getAttribute('href'), element.getAttribute('rel')])).toEqual([
      ...['https://www.example.com/book', 'noopener noreferrer'],
    ]);
    expect(await answer.locator('img, script').count()).toBe(0);
    expect(await answer.getByRole('link', { name: 'Claim it' }).count()).toBe(0);
    await answer.getByText('<script>').waitFor();
    await message(page, '**As I typed it**').waitFor();
    expect(await page.title()).not.toContain('owned');
    expect(requested.filter((url) => url.includes('tracker'))).toEqual([]);
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await fits(page)).toBe(true);
    expect(consoleErrors).toEqual([]);
  });

  test('shows who said what, and the memory beside the message it came from', { timeout: 60_000 }, async () => {
    const { page, apiKey, id, messageIds, consoleErrors } = await open();
    const source = { conversationId: id, messageId: messageIds[3]! };
    await browser.call(apiKey, '/v1/memories', { content: 'Kai eats no meat', source });
    await message(page, 'visit Lisbon').getByText('Ada', { exact: true }).waitFor();
    await message(page, 'I looked for trains').getByText('Called search_trains').click();
    await page.getByText('"from": "Madrid"').waitFor();
    const note = message(page, 'Kai is vegetarian').getByRole('link', { name: 'Kai eats no meat' });
    await note.waitFor();
    expect(await browser.axe(page)).toEqual([]);
    await note.click();
    await page.waitForURL(/\/dashboard\/memories\?.*id=mem_/);
    expect(consoleErrors).toEqual([]);
  });

  test('renames, forgets a message, and forgets the conversation', { timeout: 60_000 }, async () => {
    const { page, apiKey, id } = await open();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('Lisbon in May');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Lisbon in May' }).waitFor();
    await page.getByRole('button', { name: 'Forget message 2', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await message(page, 'quiet and warm').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.message').count()).toBe(3);
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await index(page).getByText('No conversations yet').waitFor();
    expect((await browser.call(apiKey, `/v1/conversations/${id}`)).status).toBe(404);
  });

  test('appends messages that arrive while it is read', { timeout: 60_000 }, async () => {
    const { page, apiKey, id } = await open();
    await message(page, 'Kai is vegetarian').waitFor();
    await append(apiKey, id, [{ role: 'user', content: 'And a hotel near the river' }]);
    await message(page, 'hotel near the river').waitFor({ timeout: 20_000 });
    await expect.poll(() => page.locator('.message').count()).toBe(5);
  });

  test('says how to let memories be extracted while no model is set', { timeout: 60_000 }, async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Extract memories' }).click();
    await page.getByRole('alert').getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(/\/dashboard\/settings/);
  });

  test('says so when the message of a link is gone', { timeout: 60_000 }, async () => {
    const { page, id } = await open();
    await go(page, `id=${id}&message=msg_00000000000000000000000000000000`);
    await page.getByText('The message is not in this conversation').waitFor();
    await expect.poll(() => page.locator('.message').count()).toBe(4);
  });
});

describe('a conversation of 2,000 messages', () => {
  test('opens at the message of a link, and shows those before and after it', { timeout: 120_000 }, async () => {
    const { page, id, messageIds } = await open(numbered(2000));
    await go(page, `id=${id}&message=${messageIds[1500]}`);
    const target = message(page, 'message number 1501 ');
    await target.waitFor({ timeout: 30_000 });
    await expect.poll(() => target.evaluate((item) => item === document.activeElement)).toBe(true);
    const { y } = (await target.boundingBox())!;
    expect(y).toBeGreaterThan(50);
    expect(y).toBeLessThan(850);
    await expect.poll(() => page.locator('.message').count()).toBeLessThan(400);
    await page.getByRole('button', { name: /Show earlier messages/ }).click();
    await message(page, 'message number 1400 ').waitFor({ state: 'attached' });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await message(page, 'message number 1700 ').waitFor({ state: 'attached' });
  });

  test('stays where it is when a message far down is forgotten', { timeout: 120_000 }, async () => {
    const { page, id, messageIds } = await open(numbered(600));
    await go(page, `id=${id}&message=${messageIds[500]}`);
    await page.getByRole('button', { name: 'Forget message 502', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await message(page, 'message number 502 ').waitFor({ state: 'detached' });
    await message(page, 'message number 501 ').waitFor();
    await message(page, 'message number 503 ').waitFor();
  });
});

describe('the list', () => {
  test('is walked by keys, and opens what is focused', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await browser.openApp('conversations', WIDE);
    for (const title of ['First talk', 'Second talk']) await converse(apiKey, title, TRIP.slice(0, 1));
    await go(page, '');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'First talk' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Second talk' }).waitFor();
  });

  test('keeps what was loaded of it when something is said meanwhile', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open();
    const begin = (number: number) => send(apiKey, '/v1/conversations', { title: `Talk ${number}` });
    for (let start = 0; start < 120; start += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, number) => begin(start + number)));
    }
    await go(page, '');
    await index(page).getByRole('button', { name: 'Load more' }).click();
    await expect.poll(() => index(page).getByRole('listitem').count()).toBe(121);
    await send(apiKey, '/v1/conversations', { title: 'The newest talk' });
    await index(page).getByText('The newest talk').waitFor();
    expect(await index(page).getByRole('listitem').count()).toBe(122);
    await index(page).getByText('122 conversations').waitFor();
  });

  test('finds a message by its words and opens it in its conversation', { timeout: 60_000 }, async () => {
    const { page, messageIds } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('vegetarian');
    await index(page)
      .getByRole('link', { name: /Kai is vegetarian/ })
      .click();
    await expect.poll(() => new URL(page.url()).searchParams.get('message')).toBe(messageIds[3]);
    await page.locator('.message.is-chosen', { hasText: 'vegetarian' }).waitFor();
    expect(await browser.axe(page)).toEqual([]);
  });

  test('makes way for the reader on a phone, and comes back', { timeout: 60_000 }, async () => {
    const { page } = await open(TRIP, { viewport: { width: 360, height: 740 } });
    await message(page, 'visit Lisbon').waitFor();
    await expect.poll(() => index(page).isVisible()).toBe(false);
    expect(await fits(page)).toBe(true);
    await page.getByRole('link', { name: 'All conversations' }).click();
    await index(page)
      .getByRole('link', { name: /Planning the trip/ })
      .waitFor();
    expect(await fits(page)).toBe(true);
  });
});
