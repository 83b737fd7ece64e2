import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Memory, NewMemory } from '../../../src/contract/memories.ts';
import { browserTests, fits, passUndoTime, rendered, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const FACTS: NewMemory[] = [
  { content: 'Ada prefers oolong tea, never coffee after four', tags: ['taste'], occurredAt: '2026-03-02T10:00:00Z' },
  { content: 'Ada moved to Bergen in March', tags: ['people'], occurredAt: '2026-03-20T10:00:00Z' },
  { content: 'The trip to Lisbon starts on Monday', tags: ['travel'], project: 'trips' },
  { content: 'The hotel in Lisbon is near the river', tags: ['travel'], project: 'trips' },
  { content: 'Flights to Lisbon leave from Madrid', tags: ['travel'] },
  { content: 'Grace is allergic to peanuts', tags: ['people', 'health'] },
];

const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Memories' }).getByRole('button', { name: text });
const rowCount = (page: Page) => page.getByRole('list', { name: 'Memories' }).locator('[data-row]').count();
const pane = (page: Page) => page.getByRole('complementary', { name: 'Memory' });

async function open(memories = FACTS, search = '') {
  const opened = await browser.openApp('memories', { viewport: { width: 1440, height: 900 } }, memories);
  if (search) await opened.page.goto(`${browser.daemon.baseUrl}/dashboard/memories?${search}`);
  await settled(opened.page);
  return opened;
}

/** The memories as the daemon has them. */
async function stored(apiKey: string, query = ''): Promise<Memory[]> {
  const response = await browser.call(apiKey, `/v1/memories?limit=200&${query}`);
  return ((await response.json()) as { data: Memory[] }).data;
}

describe('a stranger', () => {
  test('finds a wrong memory and corrects it in four actions', { timeout: 60_000 }, async () => {
    const { page, apiKey, consoleErrors } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('oolong');
    await row(page, 'oolong').click();
    await page.keyboard.press('e');
    await page.getByLabel('Text').fill('Ada prefers green tea, never coffee after four');
    await page.keyboard.press('Control+Enter');
    await pane(page).getByText('Saved').or(page.getByText('Saved the memory.')).waitFor();
    expect((await stored(apiKey)).map(({ content }) => content)).toContain(
      'Ada prefers green tea, never coffee after four',
    );
    await pane(page).locator('ins', { hasText: 'green' }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('forgets everything about a topic, and may change their mind', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open();
    await page.getByRole('button', { name: 'travel 3', exact: true }).click();
    await expect.poll(() => rowCount(page)).toBe(3);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByText('No memory passes these filters').waitFor();
    expect(await stored(apiKey)).toHaveLength(6);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rowCount(page)).toBe(3);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByText('Forgot 3 memories.').waitFor();
    await passUndoTime(page);
    await expect.poll(async () => (await stored(apiKey)).length).toBe(3);
  });

  test('leaves the page, which forgets at once', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open();
    await row(page, 'peanuts').click();
    await pane(page).getByRole('button', { name: 'Forget' }).click();
    await page.getByText('Forgot the memory.').waitFor();
    expect(await stored(apiKey)).toHaveLength(6);
    await page.goto('about:blank');
    await expect.poll(async () => (await stored(apiKey)).length).toBe(5);
  });

  test('signs out, which forgets at once', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open();
    await row(page, 'peanuts').click();
    await pane(page).getByRole('button', { name: 'Forget' }).click();
    await page.getByText('Forgot the memory.').waitFor();
    expect(await stored(apiKey)).toHaveLength(6);
    await page.getByLabel('Account', { exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(async () => (await stored(apiKey)).length).toBe(5);
  });

  test('finds the message that a memory comes from', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open([]);
    const made = await browser.call(apiKey, '/v1/conversations', { title: 'Lunch' });
    const { id } = (await made.json()) as { id: string };
    const said = await browser.call(apiKey, `/v1/conversations/${id}/messages`, {
      messages: [{ role: 'user', content: 'Kai is vegetarian' }],
    });
    const { data } = (await said.json()) as { data: { id: string }[] };
    const source = { conversationId: id, messageId: data[0]!.id };
    await browser.call(apiKey, '/v1/memories', { content: 'Kai eats no meat', source });
    await page.reload();
    await row(page, 'Kai eats no meat').click();
    await pane(page).getByRole('link', { name: 'this message' }).click();
    const url = new URL(page.url());
    expect([url.pathname, url.searchParams.get('id'), url.searchParams.get('message')]).toEqual([
      '/dashboard/conversations',
      id,
      data[0]!.id,
    ]);
  });

  test('sees what changed in a span of time, superseded memories included', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 2));
    const [bergen] = await stored(apiKey, 'tags=people');
    await browser.call(apiKey, '/v1/memories', { content: 'Ada moved to Oslo', supersedes: bergen!.id });
    const before = new Date(Date.now() + 86_400_000).toISOString();
    await page.goto(
      `${browser.daemon.baseUrl}/dashboard/memories?orderBy=updatedAt&after=2026-01-01&before=${before.slice(0, 10)}`,
    );
    await row(page, 'Ada moved to Oslo').waitFor();
    await row(page, 'Ada moved to Bergen').waitFor();
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?orderBy=updatedAt&before=2020-01-01`);
    await page.getByText('No memory passes these filters').waitFor();
  });
});

describe('a search', () => {
  test('finds superseded memories too where the filter says so, and marks them', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 2));
    const [bergen] = await stored(apiKey, 'tags=people');
    await browser.call(apiKey, '/v1/memories', { content: 'Ada moved to Oslo', supersedes: bergen!.id });
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?q=moved`);
    await row(page, 'Oslo').waitFor();
    expect(await rowCount(page)).toBe(1);
    await page.getByRole('button', { name: 'With superseded' }).click();
    await row(page, 'Bergen').getByText('superseded').waitFor();
    expect(await rowCount(page)).toBe(2);
  });

  test('highlights nothing in place of a memory that was forgotten', { timeout: 60_000 }, async () => {
    const { page } = await open(FACTS, 'q=lisbon');
    await expect.poll(() => rowCount(page)).toBe(3);
    const highlighted = page.locator('.virtual-list .row.is-active');
    // Not the last one: another row takes its place.
    const first = page.locator('[data-row="0"]');
    const text = (await first.locator('.row-text').textContent())!;
    await first.click();
    expect(await highlighted.textContent()).toContain(text);
    await pane(page).getByRole('button', { name: 'Forget' }).click();
    await expect.poll(() => rowCount(page)).toBe(2);
    expect(await highlighted.count()).toBe(0);
    await page.keyboard.press('j');
    expect(await highlighted.count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, text).waitFor();
    expect(await highlighted.count()).toBe(1);
  });

  test('has facets without counts, which know nothing of its words', { timeout: 60_000 }, async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'travel 3', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('hotel');
    await page.getByRole('button', { name: 'travel', exact: true }).waitFor();
  });
});

describe('the list', () => {
  test('counts no memory that is about to be forgotten', { timeout: 60_000 }, async () => {
    const { page } = await open();
    await row(page, 'hotel').click();
    await pane(page).getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'travel', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'travel 3', exact: true }).waitFor();
    await row(page, 'hotel').click();
    await pane(page).getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'travel', exact: true }).waitFor();
    await passUndoTime(page);
    await page.getByRole('button', { name: 'travel 2', exact: true }).waitFor();
  });

  test('is operated by keys alone: move, select a range, open, edit', { timeout: 60_000 }, async () => {
    const { page } = await open();
    await row(page, 'peanuts').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('X');
    await page.getByText('3 memories selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('6 memories').first().waitFor();
    await page.keyboard.press('Enter');
    await pane(page).waitFor();
    const first = new URL(page.url()).searchParams.get('id');
    await page.keyboard.press('j');
    await expect.poll(() => new URL(page.url()).searchParams.get('id')).not.toBe(first);
    await page.keyboard.press('Escape');
    await pane(page).waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await page.getByLabel('Text').waitFor();
  });

  test('tags what is selected, and takes back only what it changed', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByLabel('Tags to add').fill('people');
    await page.keyboard.press('Enter');
    await page.getByText('Changed 6 memories.').waitFor();
    expect(await stored(apiKey, 'tags=people')).toHaveLength(6);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await stored(apiKey, 'tags=people')).length).toBe(2);
  });

  test('of more than one page is changed as a whole, but never beyond what it shows', { timeout: 60_000 }, async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ content: `Note ${index}`, tags: ['note'] }));
    const { page, apiKey } = await open([...many, ...FACTS], 'tag=note');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('150 memories selected').waitFor();
    await page.getByRole('button', { name: 'Project' }).click();
    await page.getByLabel('Project, empty for none').fill('notes');
    await page.keyboard.press('Enter');
    await page.getByText('Changed 150 memories.').waitFor();
    expect(await stored(apiKey, 'project=notes&projectOnly=true')).toHaveLength(150);
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?orderBy=updatedAt&after=2026-01-01`);
    await row(page, 'Note 0').or(row(page, 'Note 1')).first().waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('100 memories selected').waitFor();
  });

  test('narrows by time with the arrow keys, and by tags', { timeout: 60_000 }, async () => {
    const { page } = await open();
    await page.getByRole('slider', { name: 'To' }).focus();
    await page.keyboard.press('Home');
    await expect.poll(() => rowCount(page)).toBe(1);
    await row(page, 'oolong').waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByRole('button', { name: 'people 2', exact: true }).click();
    await page.getByRole('button', { name: 'health 1', exact: true }).click();
    await expect.poll(() => rowCount(page)).toBe(1);
    expect(new URL(page.url()).searchParams.getAll('tag')).toEqual(['people', 'health']);
    await page.goBack();
    await expect.poll(() => rowCount(page)).toBe(2);
  });

  test('is filtered by the client that stored a memory, as its pane says', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 2));
    await fetch(`${browser.daemon.baseUrl}/v1/memories`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        'user-agent': 'claude-code/2.1.0',
      },
      body: JSON.stringify({ content: 'Kai plays the cello' }),
    });
    await page.getByRole('button', { name: 'Claude Code 1', exact: true }).click();
    await expect.poll(() => rowCount(page)).toBe(1);
    expect(new URL(page.url()).searchParams.get('client')).toBe('claude-code');
    await row(page, 'Kai plays the cello').click();
    await pane(page).getByRole('link', { name: 'Claude Code' }).waitFor();
    await page.getByRole('button', { name: 'stored by: Claude Code' }).click();
    await expect.poll(() => rowCount(page)).toBe(3);
  });

  test('shows a timeline with headings, and what was known earlier', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 2));
    await page.getByRole('radio', { name: 'Timeline' }).check();
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    const [, oolong] = await stored(apiKey);
    const then = new Date().toISOString();
    await browser.call(apiKey, `/v1/memories/${oolong!.id}`, { content: 'Ada prefers cocoa' }, 'PATCH');
    await browser.call(apiKey, '/v1/memories', { content: 'Something new' });
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?asOf=${then}`);
    await expect.poll(() => rowCount(page)).toBe(2);
    await row(page, 'cocoa').click();
    await pane(page).getByText('This is version 1').waitFor();
    await pane(page).locator('.memory-text', { hasText: 'oolong' }).waitFor();
  });
});

describe('the pane', () => {
  test('does not overwrite a change that was made meanwhile, unless told to', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 1));
    const [memory] = await stored(apiKey);
    await row(page, 'oolong').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text').fill('Mine');
    await browser.call(apiKey, `/v1/memories/${memory!.id}`, { content: 'Theirs' }, 'PATCH');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('was changed while you were editing').waitFor();
    expect((await stored(apiKey))[0]!.content).toBe('Theirs');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await expect.poll(async () => (await stored(apiKey))[0]!.content).toBe('Mine');
  });

  test('saves over another change what its form says by then', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 1));
    const [memory] = await stored(apiKey);
    await row(page, 'oolong').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text').fill('Mine');
    await browser.call(apiKey, `/v1/memories/${memory!.id}`, { content: 'Theirs' }, 'PATCH');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('was changed while you were editing').waitFor();
    await page.getByLabel('Text').fill('Mine and theirs');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await expect.poll(async () => (await stored(apiKey))[0]!.content).toBe('Mine and theirs');
  });

  test('keeps what is typed when something takes the place of the memory meanwhile', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 1));
    const [memory] = await stored(apiKey);
    await row(page, 'oolong').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text').fill('A long correction');
    await browser.call(apiKey, '/v1/memories', { content: 'Newer', supersedes: memory!.id });
    await pane(page).getByText('superseded').first().waitFor();
    await expect.poll(() => page.getByLabel('Text').inputValue()).toBe('A long correction');
  });

  test('restores an earlier version, and undoes an edit', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 1));
    const [memory] = await stored(apiKey);
    await browser.call(apiKey, `/v1/memories/${memory!.id}`, { content: 'Wrong', addTags: ['odd'] }, 'PATCH');
    await page.reload();
    await row(page, 'Wrong').click();
    await pane(page).getByRole('button', { name: 'Restore' }).click();
    await expect.poll(async () => (await stored(apiKey))[0]!.content).toBe(FACTS[0]!.content);
    expect((await stored(apiKey))[0]!.tags).toEqual(['taste']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await stored(apiKey))[0]!.content).toBe('Wrong');
  });

  test('replaces what is outdated by what holds now, and keeps it in the history', { timeout: 60_000 }, async () => {
    const { page, apiKey, consoleErrors } = await open(FACTS.slice(0, 1));
    const [older] = await stored(apiKey);
    await row(page, 'oolong').click();
    await pane(page).getByRole('button', { name: 'Outdated…' }).click();
    await pane(page)
      .getByRole('button', { name: /^Replace/ })
      .click();
    await page.getByText('Change the text first').waitFor();
    await page.getByLabel('Text').fill('Ada prefers green tea');
    await pane(page)
      .getByRole('button', { name: /^Replace/ })
      .click();
    await pane(page)
      .getByRole('link', { name: /oolong/ })
      .waitFor();
    const [newer, ...others] = await stored(apiKey);
    expect([newer!.content, newer!.tags, newer!.origin, others]).toEqual([
      ...['Ada prefers green tea', ['taste'], 'person', []],
    ]);
    const closed = (await (await browser.call(apiKey, `/v1/memories/${older!.id}`)).json()) as Memory;
    expect(closed.supersededBy).toBe(newer!.id);
    expect(consoleErrors).toEqual([]);
  });

  test('marks as outdated what nothing replaces, and as current again', { timeout: 60_000 }, async () => {
    const { page, apiKey, consoleErrors } = await open(FACTS.slice(0, 1));
    const [memory] = await stored(apiKey);
    const validTo = async () =>
      ((await (await browser.call(apiKey, `/v1/memories/${memory!.id}`)).json()) as Memory).validTo;
    await row(page, 'oolong').click();
    const close = async () => {
      await pane(page).getByRole('button', { name: 'Outdated…' }).click();
      await pane(page).getByRole('button', { name: 'Mark as outdated' }).click();
      await pane(page).getByText('Outdated since').waitFor();
      await row(page, 'oolong').getByText('outdated').waitFor();
      expect(await validTo()).not.toBeNull();
    };
    await close();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(validTo).toBeNull();
    await pane(page).getByRole('button', { name: 'Outdated…' }).waitFor();
    await close();
    await pane(page).getByRole('button', { name: 'Mark as current' }).click();
    await expect.poll(validTo).toBeNull();
    await pane(page).getByRole('button', { name: 'Outdated…' }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('offers to forget the conversations of a project with its memories, and takes it back', {
    timeout: 60_000,
  }, async () => {
    const { page, apiKey, consoleErrors } = await open(FACTS);
    for (const project of ['trips', 'trips', 'home']) {
      const made = await browser.call(apiKey, '/v1/conversations', { title: `About ${project}`, project });
      expect(made.status).toBe(201);
    }
    const titles = async () => {
      const { data } = (await (await browser.call(apiKey, '/v1/conversations')).json()) as {
        data: { title: string }[];
      };
      return data.map(({ title }) => title).sort();
    };
    const offer = page.getByRole('checkbox', { name: 'Forget the 2 conversations of trips too' });
    const selectAll = async () => {
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await offer.waitFor();
      expect(await offer.isChecked()).toBe(false);
    };
    const forget = () => page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?project=trips`);
    await selectAll();
    await offer.check();
    await forget();
    await page.getByText('Forgot 2 memories and 2 conversations.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rowCount(page)).toBe(2);
    expect(await titles()).toEqual(['About home', 'About trips', 'About trips']);
    await selectAll();
    await offer.check();
    await forget();
    await page.getByText('Forgot 2 memories and 2 conversations.').waitFor();
    await passUndoTime(page);
    await expect.poll(titles).toEqual(['About home']);
    await expect.poll(async () => (await stored(apiKey)).length).toBe(4);
    expect(consoleErrors).toEqual([]);
  });

  test('forgets the conversations of a project only with all its memories, and those that are still there', {
    timeout: 60_000,
  }, async () => {
    const { page, apiKey } = await open(FACTS);
    const ids: string[] = [];
    for (const title of ['One', 'Two']) {
      const made = await browser.call(apiKey, '/v1/conversations', { title, project: 'trips' });
      ids.push(((await made.json()) as { id: string }).id);
    }
    const left = async () =>
      ((await (await browser.call(apiKey, '/v1/conversations')).json()) as { data: unknown[] }).data.length;
    const offer = page.getByRole('checkbox', { name: 'Forget the 2 conversations of trips too' });
    const all = page.getByRole('checkbox', { name: 'Select all' });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/conversations') asked.push(request.url());
    });
    for (const filter of ['tag=travel', 'q=hotel']) {
      await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?project=trips&${filter}`);
      await all.check();
      await page.getByRole('button', { name: 'Forget', exact: true }).waitFor();
      await rendered(page);
      expect(asked, filter).toEqual([]);
      expect(await offer.count(), filter).toBe(0);
    }
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?project=trips`);
    await all.check();
    await offer.check();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByText('Forgot 2 memories and 2 conversations.').waitFor();
    const erased = await fetch(`${browser.daemon.baseUrl}/v1/conversations/${ids[0]}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(erased.status).toBe(204);
    const answers = ids.map((id) =>
      page.waitForResponse((one) => one.request().method() === 'DELETE' && one.url().endsWith(id)),
    );
    await passUndoTime(page);
    expect((await Promise.all(answers)).map((answer) => answer.status())).toEqual([404, 204]);
    await expect.poll(left).toBe(0);
    await rendered(page);
    expect(await page.locator('.toast.is-error').count()).toBe(0);
  });

  test('says what stays when all of a project is selected: superseded memories', async () => {
    const { page, apiKey } = await open(FACTS);
    const [hotel] = await stored(apiKey, 'tag=travel&project=trips&projectOnly=true');
    const validTo = new Date(browser.daemon.clock.nowMs()).toISOString();
    await browser.call(apiKey, `/v1/memories/${hotel!.id}`, { validTo }, 'PATCH');
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?project=trips`);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    const bar = page.getByRole('region', { name: 'Selected memories' });
    await bar.getByRole('link', { name: 'Show 1 superseded' }).click();
    await expect.poll(() => rowCount(page)).toBe(2);
  });

  test('shows in each row how often a memory was of use', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 2));
    const [first, second] = await stored(apiKey);
    const answer = await browser.call(apiKey, '/v1/search', { query: `${first!.content} ${second!.content}` });
    const { searchId } = (await answer.json()) as { searchId: string };
    await browser.call(apiKey, `/v1/searches/${searchId}/feedback`, { used: [first!.id] });
    await page.reload();
    await row(page, first!.content).getByText('used 1×').waitFor();
    await row(page, second!.content).getByText('shown 1×').waitFor();
  });

  test('says that a memory with the same words holds instead', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open([
      { content: 'Kai drinks oolong tea' },
      { content: 'Kai drinks oolong no more' },
    ]);
    await row(page, 'oolong tea').click();
    await pane(page).getByRole('heading', { name: 'With the same words' }).waitFor();
    await pane(page).getByRole('button', { name: 'Replace by this' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as outdated' }).click();
    await expect
      .poll(async () => (await stored(apiKey)).map(({ content }) => content))
      .toEqual(['Kai drinks oolong no more']);
  });

  test('moves a memory to a project, and hides the name of the only user', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 1));
    await row(page, 'oolong').click();
    await pane(page).getByRole('button', { name: 'Move to a project' }).click();
    await page.keyboard.type('kitchen');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored(apiKey))[0]!.project).toBe('kitchen');
    await pane(page).getByRole('link', { name: 'kitchen' }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('default');
  });

  test('shows what a memory replaced, what replaced it, and how often it was of use', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(1, 2));
    const [bergen] = await stored(apiKey);
    const added = await browser.call(apiKey, '/v1/memories', { content: 'Ada moved to Oslo', supersedes: bergen!.id });
    const { id } = (await added.json()) as Memory;
    const found = await browser.call(apiKey, '/v1/search', { query: 'Oslo' });
    const { searchId } = (await found.json()) as { searchId: string };
    await browser.call(apiKey, `/v1/searches/${searchId}/feedback`, { used: [id] });
    await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?id=${id}`);
    await pane(page).getByText('Shown in 1 search, used 1 time.').waitFor();
    await pane(page).getByRole('link', { name: 'Ada moved to Bergen' }).click();
    await pane(page).locator('.notice', { hasText: 'Superseded' }).waitFor();
    await expect.poll(() => pane(page).getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await pane(page).getByRole('link', { name: 'Show what replaced it' }).click();
    await pane(page).getByRole('link', { name: 'Ada moved to Bergen' }).waitFor();
  });

  test('adds a memory, and opens the existing one for a duplicate', { timeout: 60_000 }, async () => {
    const { page, apiKey } = await open(FACTS.slice(0, 1));
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Text').fill('Kai collects old maps');
    await page.getByLabel('Tags').fill('people, hobbies');
    await page.keyboard.press('Control+Enter');
    await pane(page).getByText('Kai collects old maps').first().waitFor();
    expect((await stored(apiKey, 'tags=hobbies')).map(({ tags }) => tags)).toEqual([['people', 'hobbies']]);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Text').fill(FACTS[0]!.content);
    await page.keyboard.press('Control+Enter');
    await page.getByText('This memory is stored already.').waitFor();
    expect(await stored(apiKey)).toHaveLength(2);
  });
});

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  test('a memory stays legible on a phone with long names and words', { timeout: 60_000 }, async () => {
    const word = 'unbroken'.repeat(15);
    const { page } = await browser.openApp('memories', { colorScheme, viewport: { width: 390, height: 800 } }, [
      { content: `${word} is the first`, metadata: { ['k'.repeat(60)]: 'a value' } },
      { content: `${word} is the second` },
    ]);
    await settled(page);
    await row(page, 'is the first').click();
    const value = pane(page).getByText('a value', { exact: true });
    await value.waitFor();
    expect((await value.boundingBox())!.width).toBeGreaterThan(100);
    const neighbor = pane(page).getByRole('link', { name: 'is the second' });
    const { x, width } = (await neighbor.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);
  });

  test('every state is accessible and fits a phone', { timeout: 120_000 }, async () => {
    for (const width of [1440, 360]) {
      const { page, apiKey } = await browser.openApp(
        'memories',
        { colorScheme, viewport: { width, height: 800 } },
        FACTS,
      );
      await settled(page);
      const [memory] = await stored(apiKey);
      await browser.call(apiKey, `/v1/memories/${memory!.id}`, { content: 'Grace may eat nuts' }, 'PATCH');
      const states = [
        `id=${memory!.id}`,
        `id=${memory!.id}&edit=1`,
        'add=1',
        'q=Lisbon',
        'q=zzzz',
        'tag=none',
        'layout=timeline',
        `asOf=${new Date().toISOString()}`,
      ];
      for (const state of states) {
        await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?${state}`);
        await settled(page);
        expect(await browser.axe(page), `${state} at ${width}`).toEqual([]);
        expect(await fits(page), `${state} at ${width}`).toBe(true);
      }
    }
  });
});
