import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { NewMemory, Topic } from '../../../src/client/client.ts';
import { browserTests, fits, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const MEMORIES: NewMemory[] = [
  { content: 'Ada Lovelace plays chess on Tuesdays', occurredAt: day(1) },
  { content: 'Ada Lovelace and Linus Berg share an office', occurredAt: day(40) },
  { content: 'Ada likes oolong', occurredAt: day(70) },
  { content: 'Linus Berg cooks on Fridays', occurredAt: day(3) },
  { content: 'We use Postgres', occurredAt: day(5) },
  { content: 'Postgres listens on 5433', occurredAt: day(6) },
  { content: 'PostgreSQL has nightly backups', occurredAt: day(7) },
  { content: 'PostgreSQL is at version 16', occurredAt: day(8) },
];

async function openTopics(contextOptions = {}, memories = MEMORIES) {
  const opened = await browser.openApp('', contextOptions, memories);
  await read();
  opened.page.setDefaultTimeout(10_000);
  await browser.show(opened.page, 'topics');
  return opened;
}

/** Lets the daemon read what was stored. */
async function read(): Promise<void> {
  while (await browser.daemon.comparing.follow());
}

async function topicsOf(apiKey: string, query = ''): Promise<Topic[]> {
  const answer = await browser.call(apiKey, `/v1/topics?sort=name${query}`);
  return ((await answer.json()) as { data: Topic[] }).data;
}

async function namesOf(apiKey: string): Promise<string[]> {
  return (await topicsOf(apiKey)).map(({ name }) => name);
}

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Topics' }).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });

async function openTopic(page: Page, name: string): Promise<void> {
  await row(page, name).click();
  await title(page, name).waitFor();
}

describe('Topics', { timeout: 60_000 }, () => {
  test('lists what memories are about, in the chosen order, found by the beginning of a word', async () => {
    const { page, consoleErrors } = await openTopics();
    await page.getByText('4 topics', { exact: true }).waitFor();
    await row(page, 'Ada Lovelace').getByText('3 memories').waitFor();
    await page.getByLabel('Order').selectOption('Name');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('name');
    await page.keyboard.press('/');
    await page.keyboard.type('berg');
    await page.getByText('1 topic', { exact: true }).waitFor();
    await row(page, 'Linus Berg').waitFor();
    await page.getByLabel('Search topics').fill('nobody');
    await page.getByRole('heading', { name: 'No such topic' }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('says how topics come about where there are none, and shows the first without a reload', async () => {
    const { page, apiKey } = await openTopics({}, []);
    await page.getByRole('heading', { name: 'No topics yet' }).waitFor();
    await page.getByText('some seconds after a memory is stored').waitFor();
    await page.clock.install();
    await browser.call(apiKey, '/v1/memories/batch', { memories: MEMORIES });
    await read();
    await expect
      .poll(async () => {
        await page.clock.runFor(5000);
        return row(page, 'Ada Lovelace').count();
      })
      .toBe(1);
  });

  test('has a page with what holds, what was before, mentions by month and related topics', async () => {
    const { page, apiKey, consoleErrors } = await openTopics();
    const { data } = (await (await browser.call(apiKey, '/v1/memories?limit=50')).json()) as {
      data: { id: string; content: string }[];
    };
    const chess = data.find(({ content }) => content.includes('chess'))!;
    await browser.call(apiKey, '/v1/memories', { content: 'Ada Lovelace plays go instead', supersedes: chess.id });
    await read();
    await openTopic(page, 'Ada Lovelace');
    await page.reload();
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByText('Ada Lovelace plays go instead').waitFor();
    const before = page.getByRole('region', { name: 'Before' });
    await before.getByRole('link', { name: 'Ada Lovelace plays chess on Tuesdays' }).waitFor();
    await before.getByText('Replaced by').getByRole('link', { name: 'Ada Lovelace plays go instead' }).waitFor();
    await page.getByRole('img', { name: /^4 memories, most in / }).waitFor();
    await page.getByRole('region', { name: 'Related' }).getByRole('link', { name: 'Linus Berg' }).click();
    await title(page, 'Linus Berg').waitFor();
    await page.goBack();
    await before.getByRole('link', { name: 'Ada Lovelace plays chess on Tuesdays' }).click();
    await page.getByRole('complementary', { name: 'Memory' }).getByText('Ada Lovelace plays chess').first().waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test('searches in a topic, and everything again', async () => {
    const { page } = await openTopics();
    await openTopic(page, 'Linus Berg');
    await page.getByRole('link', { name: 'Search in this topic' }).click();
    await page.getByText('Only memories about').getByRole('link', { name: 'Linus Berg' }).waitFor();
    await page.getByLabel('Question', { exact: true }).fill('who plays chess or cooks?');
    await page.keyboard.press('Enter');
    const ranking = page.getByRole('region', { name: 'Ranking' });
    await ranking.getByText('Linus Berg cooks on Fridays').waitFor();
    expect(new URL(page.url()).searchParams.get('topic')).toMatch(/^top_/);
    expect(await ranking.getByText('plays chess').count()).toBe(0);
    await page.getByRole('button', { name: 'Search everything' }).click();
    await ranking.getByText('plays chess').waitFor();
  });

  test('renames a topic and gives it a name that memories are found by, with undo', async () => {
    const { page, apiKey } = await openTopics();
    await openTopic(page, 'Ada Lovelace');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('My sister');
    await page.keyboard.press('Enter');
    await title(page, 'My sister').waitFor();
    expect(await namesOf(apiKey)).toContain('My sister');
    await page.getByRole('button', { name: 'Undo' }).click();
    await title(page, 'Ada Lovelace').waitFor();
    expect(await namesOf(apiKey)).toEqual(['Ada Lovelace', 'Linus Berg', 'Postgres', 'PostgreSQL']);
    await page.getByRole('button', { name: 'Add a name' }).click();
    await page.getByLabel('Another name').fill('The countess');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Other names' }).getByText('The countess').waitFor();
    await page.getByRole('button', { name: 'Add a name' }).click();
    await page.getByLabel('Another name').fill('Linus Berg');
    await page.keyboard.press('Enter');
    await page.getByText('is a name of the topic').waitFor();
  });

  test('merges a topic that is picked by typing, splits it off again, and undoes both', async () => {
    const { page, apiKey } = await openTopics();
    await openTopic(page, 'Postgres');
    const merge = async () => {
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.getByLabel('Topic that becomes part').fill('postgresq');
      await page.getByRole('button', { name: 'Merge PostgreSQL' }).click();
      await page.getByRole('list', { name: 'Other names' }).getByText('PostgreSQL').waitFor();
    };
    await merge();
    expect(await namesOf(apiKey)).toEqual(['Ada Lovelace', 'Linus Berg', 'Postgres']);
    await page.getByText('4 memories').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 memories').first().waitFor();
    expect(await namesOf(apiKey)).toContain('PostgreSQL');
    await merge();
    await page.getByRole('button', { name: 'Split off' }).click();
    const split = page.locator('form').getByRole('button', { name: 'Split off' });
    expect(await split.isDisabled()).toBe(true);
    await page.getByLabel('PostgreSQL').check();
    await split.click();
    await page.getByText('is a separate topic').waitFor();
    expect(await namesOf(apiKey)).toContain('PostgreSQL');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(() => namesOf(apiKey)).not.toContain('PostgreSQL');
    await page.getByRole('list', { name: 'Other names' }).getByText('PostgreSQL').waitFor();
  });

  test('hides a topic, lists the hidden ones, and shows it again', async () => {
    const { page, apiKey } = await openTopics();
    await openTopic(page, 'Postgres');
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('hidden', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('button', { name: 'Show again' }).waitFor();
    expect(await namesOf(apiKey)).not.toContain('Postgres');
    await page.getByRole('link', { name: 'All topics' }).click();
    await page.getByText('3 topics', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Hidden topics' }).click();
    await page.getByText('1 topic, hidden').waitFor();
    await openTopic(page, 'Postgres');
    await page.getByRole('button', { name: 'Show again' }).click();
    await page.getByRole('button', { name: 'Hide' }).waitFor();
    expect(await namesOf(apiKey)).toContain('Postgres');
  });

  test('is walked by keys alone', async () => {
    const { page } = await openTopics();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await row(page, 'Ada Lovelace').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await title(page, 'Ada Lovelace').waitFor();
    await page.keyboard.press('j');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Ada likes oolong');
    await page.keyboard.press('Escape');
    await row(page, 'Ada Lovelace').waitFor();
    expect(new URL(page.url()).searchParams.has('id')).toBe(false);
  });

  test('says that a topic is gone, and leads back', async () => {
    const { page } = await openTopics();
    await page.evaluate(() => {
      history.pushState(null, '', '/dashboard/topics?id=top_00000000000000000000000000000000');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    await page.getByRole('alert').getByText('There is no topic with this id.').waitFor();
    await page.getByRole('link', { name: 'All topics' }).click();
    await row(page, 'Ada Lovelace').waitFor();
  });

  test('shows the topics of one user at a time', async () => {
    const { page, apiKey } = await openTopics();
    const memories = ['Rivka Stern sings', 'Rivka Stern dances'].map((content) => ({ content, user: 'ada' }));
    await browser.call(apiKey, '/v1/memories/batch', { memories });
    await read();
    await page.reload();
    await page.getByLabel('User').selectOption({ label: 'ada · 2 memories' });
    await page.getByText('1 topic of ada').waitFor();
    await openTopic(page, 'Rivka Stern');
    await page.getByLabel('User').selectOption({ label: 'default · 8 memories' });
    await row(page, 'Linus Berg').waitFor();
  });
});

const LONG = 'Maximiliane Augusta Theodora Wilhelmina von Hohenfels Schwarzenbergerin Oberau';
const HOSTILE = '\u202e<img src=x onerror=alert(1)>\u202d"WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW';

describe.each([375, 1440])('at a width of %i pixels', { timeout: 60_000 }, (width) => {
  test.each(['light', 'dark'] as const)('topics are accessible and fit in the %s theme', async (colorScheme) => {
    const { page, apiKey, consoleErrors } = await openTopics({ colorScheme, viewport: { width, height: 812 } });
    const [ada, linus] = await topicsOf(apiKey);
    await browser.call(apiKey, `/v1/topics/${linus!.id}`, { name: LONG }, 'PATCH');
    await page.reload();
    await row(page, LONG).waitFor();
    const check = async (name: string) => {
      await settled(page);
      expect(await browser.axe(page), name).toEqual([]);
      expect(await fits(page), name).toBe(true);
    };
    await check('list');
    const { data } = (await (await browser.call(apiKey, '/v1/memories?limit=50')).json()) as {
      data: { id: string; content: string }[];
    };
    const chess = data.find(({ content }) => content.includes('chess'))!;
    await browser.call(apiKey, '/v1/memories', { content: 'Ada Lovelace plays go instead', supersedes: chess.id });
    await read();
    await browser.call(apiKey, `/v1/topics/${ada!.id}`, { aliases: ['Ada', HOSTILE.slice(0, 80)] }, 'PATCH');
    await openTopic(page, 'Ada Lovelace');
    await page.getByRole('region', { name: 'Before' }).waitFor();
    await check('page');
    for (const name of ['Rename', 'Add a name', 'Split off', 'Merge']) {
      await page.getByRole('button', { name, exact: true }).first().click();
      await check(name);
    }
    await browser.call(apiKey, `/v1/topics/${ada!.id}`, { name: HOSTILE.slice(0, 80) }, 'PATCH');
    await page.reload();
    await page.getByRole('region', { name: 'Now' }).waitFor();
    await check('hostile');
    await page.keyboard.press('Escape');
    await row(page, LONG).click();
    await title(page, LONG).waitFor();
    await check('long');
    await page.getByRole('link', { name: 'Search in this topic' }).click();
    await page.getByText('Only memories about').waitFor();
    await check('recall');
    await browser.call(apiKey, '/v1/memories', { content: 'I like tea', user: HOSTILE.slice(0, 100) });
    await browser.show(page, 'topics?hidden=1');
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing is hidden' }).waitFor();
    await check('hidden');
    expect(consoleErrors).toEqual([]);
  });
});
