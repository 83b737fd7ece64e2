import { describe, expect, test } from 'vitest';
import type { ContextAnswer, Retrieval, SearchAnswer } from '../../../src/client/client.ts';
import type { Account } from '../../../src/contract/account.ts';
import { browserTests, fits, type OpenApp, settled } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

const DAY_MS = 86_400_000;
const MEMORIES = Array.from({ length: 24 }, (_, index) => ({
  content: `Ada wrote note ${index + 1} about the harbor office ${'again '.repeat(index % 5)}`.trim(),
  user: 'ada',
  occurredAt: new Date(Date.UTC(2026, 0, 1) + index * 9 * DAY_MS).toISOString(),
}));
const QUESTION = 'notes about the harbor office';

async function search(apiKey: string): Promise<SearchAnswer> {
  const answer = await browser.call(apiKey, '/v1/search', { query: QUESTION, user: 'ada' });
  return (await answer.json()) as SearchAnswer;
}

/** Teaches the ranking that the newest result is the useful one, until the order changes. */
async function teach(apiKey: string): Promise<void> {
  for (let round = 0; round < 25; round += 1) {
    const { searchId, results } = await search(apiKey);
    const [newest] = results.toSorted((a, b) => (a.content < b.content ? -1 : 1));
    const told = await browser.call(apiKey, `/v1/searches/${searchId}/feedback`, { used: [newest!.id] });
    expect(told.status).toBe(202);
  }
}

async function openAsked(parameters: string, options: Parameters<typeof browser.openApp>[1] = {}): Promise<OpenApp> {
  const opened = await browser.openApp('recall', options, MEMORIES);
  await settled(opened.page);
  await browser.show(opened.page, `recall?user=ada&q=${encodeURIComponent(QUESTION)}${parameters}`);
  return opened;
}

describe('asking in Recall', { timeout: 60_000 }, () => {
  test('shows results and the figures behind each, by keyboard alone', async () => {
    const { page, consoleErrors } = await browser.openApp('recall', {}, MEMORIES);
    await page.getByText('Try a question').waitFor();
    await page.keyboard.type(QUESTION);
    await page.keyboard.press('Enter');
    await page.getByText('Yes, something stored answers this.').waitFor();
    await expect.poll(() => page.getByText('Kind of question').count()).toBe(0);
    await expect.poll(() => page.locator('.signal-bar').count()).toBe(0);
    await page.getByRole('button', { name: 'Details' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Kind of question').waitFor();
    const stages = page.getByRole('region', { name: 'Time of each stage' });
    await expect
      .poll(() => stages.getByRole('listitem').allTextContents())
      .toContainEqual(expect.stringMatching(/^candidates [<\d. ]+ ms$/));
    expect(new URL(page.url()).searchParams.get('q')).toBe(QUESTION);
    await page.getByRole('button', { name: 'Why' }).first().focus();
    await page.keyboard.press('Enter');
    const adds = await page.locator('.why tbody td:last-child').allTextContents();
    const sum = await page.locator('.why tfoot td').textContent();
    const figureOf = (text: string) => Number(text.replace('−', '-'));
    expect(adds.map(figureOf).reduce((total, one) => total + one, 0)).toBeCloseTo(figureOf(sum!), 1);
    expect(consoleErrors).toEqual([]);
  });

  test('keeps the question, its options and the open result in the address', async () => {
    const { page } = await openAsked('');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Strategy').selectOption('recent');
    await page.getByLabel('Results').selectOption('5');
    await page.getByRole('checkbox', { name: 'Messages' }).uncheck();
    await settled(page);
    await page.getByRole('button', { name: 'Why' }).nth(2).click();
    await page.reload();
    await page.locator('.why').waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe(QUESTION);
    await expect.poll(() => page.getByLabel('Strategy').inputValue()).toBe('recent');
    await expect.poll(() => page.getByRole('checkbox', { name: 'Messages' }).isChecked()).toBe(false);
    await expect.poll(() => page.locator('.result').count()).toBe(5);
    await page.getByRole('searchbox').fill('something else');
    await page.keyboard.press('Enter');
    await page.goBack();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe(QUESTION);
  });

  test('searches again when the same question is submitted', async () => {
    const { page } = await openAsked('');
    const again = page.waitForRequest('**/v1/search');
    await page.getByRole('searchbox').press('Enter');
    expect((await again).postDataJSON()).toMatchObject({ query: QUESTION, user: 'ada' });
    await page.locator('.result').first().waitFor();
  });

  test('says that probably nothing answers, or that nothing was found', async () => {
    const { page } = await openAsked('');
    await page.getByRole('searchbox').fill('quantum chromodynamics');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.getByText('Probably not: nothing stored seems to answer this.').waitFor();
  });

  test('shows a failure with a retry, and recovers', async () => {
    const { page } = await openAsked('');
    await page.route('**/v1/search', (route) => route.abort());
    await page.getByRole('searchbox').fill('harbor');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/v1/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.result').first().waitFor();
  });
});

describe('teaching in Recall', { timeout: 60_000 }, () => {
  test('sends the marks once, and says what was learned', async () => {
    const { page, apiKey } = await openAsked('');
    await page.getByRole('button', { name: 'This helped' }).nth(2).click();
    await page.getByRole('button', { name: 'This did not help' }).first().click();
    await page.getByText('1 result helped, 1 result did not.').waitFor();
    await page.getByRole('button', { name: 'Teach the ranking' }).click();
    await page.getByText('Learned.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'This helped' }).first().isDisabled()).toBe(true);
    const retrieval = (await (await browser.call(apiKey, '/v1/retrieval?user=ada')).json()) as Retrieval;
    expect(retrieval.events).toBe(1);
    await page.getByRole('button', { name: 'Search again' }).click();
    await page.getByText('Mark what helped').waitFor();
  });

  test('shows the learned order beside the default one, with a line for each result', async () => {
    const { page, apiKey } = await openAsked('');
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText('Kind of question').waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'Learned order' }).count()).toBe(0);
    await teach(apiKey);
    await page.reload();
    await page.getByRole('heading', { name: 'Learned order' }).waitFor();
    const shown = await page.locator('.result').count();
    await expect.poll(() => page.locator('.rank-line').count()).toBe(shown);
    await expect.poll(() => page.locator('.default-order > li').count()).toBe(shown);
    await expect.poll(() => page.locator('.result .movement').count()).toBeGreaterThan(0);
    await page.setViewportSize({ width: 600, height: 800 });
    await expect.poll(() => page.locator('.default-order').isVisible()).toBe(false);
    await expect.poll(() => page.locator('.result .movement').first().isVisible()).toBe(true);
  });
});

describe('the context in Recall', { timeout: 60_000 }, () => {
  test('is the text that an assistant gets, within the budget', async () => {
    const { page, apiKey } = await openAsked('&tokens=200');
    const asked = { query: QUESTION, user: 'ada', maxTokens: 200 };
    const { text, tokens } = (await (await browser.call(apiKey, '/v1/context', asked)).json()) as ContextAnswer;
    await page.getByText(`${tokens} tokens of at most 200.`).waitFor();
    const lines = await page.locator('.context-line').allTextContents();
    expect(lines.join('\n')).toBe(text);
    await page.getByLabel('Budget in tokens').fill('400');
    await page.getByText('tokens of at most 400.').waitFor();
    expect(new URL(page.url()).searchParams.get('tokens')).toBe('400');
  });

  test('counts as one query with the search', async () => {
    const { page, apiKey } = await openAsked('');
    await page.locator('.context-line').first().waitFor();
    const { quotas } = (await (await browser.call(apiKey, '/v1/account')).json()) as Account;
    expect(quotas.monthlyQueries.used).toBe(1);
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Strategy').selectOption('recent');
    await page.getByText('An assistant always gets what holds today').waitFor();
    await page.locator('.context-line').first().waitFor();
  });

  test('leads from a citation to its result by keyboard', async () => {
    const { page } = await openAsked('');
    await page.getByRole('button', { name: 'Go to the result of [2]' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.result') !== null)).toBe(true);
  });
});

describe('two statements about the same thing', { timeout: 60_000 }, () => {
  const STATEMENTS = [
    { content: 'The staging database runs on port 5432' },
    { content: 'The staging database runs on port 6543' },
  ];

  test('are marked at their rows, and the outdated one is closed from there', async () => {
    const { page, apiKey, consoleErrors } = await browser.openApp('recall', {}, []);
    for (const [index, statement] of STATEMENTS.entries()) {
      const occurredAt = new Date(Date.UTC(2026, 2 + index, 1)).toISOString();
      await browser.call(apiKey, '/v1/memories', { ...statement, occurredAt });
    }
    await browser.show(page, 'recall?q=which+port+does+the+staging+database+run+on');
    await page.locator('.result.is-outdated', { hasText: '5432' }).getByText('outdated: the 1st is newer').waitFor();
    await page.locator('.result', { hasText: '6543' }).getByText('newer than the 2nd').waitFor();
    expect(await browser.axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mark as outdated' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as outdated' }).click();
    await expect.poll(() => page.locator('.result').count()).toBe(1);
    const { data } = (await (await browser.call(apiKey, '/v1/memories')).json()) as { data: { content: string }[] };
    expect(data.map(({ content }) => content)).toEqual(['The staging database runs on port 6543']);
    expect(consoleErrors).toEqual([]);
  });
});

describe('earlier searches in Recall', { timeout: 60_000 }, () => {
  test('are listed with what helped, and open again', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    const { searchId, results } = await search(apiKey);
    await browser.call(apiKey, `/v1/searches/${searchId}/feedback`, { used: [results[1]!.id] });
    await expect.poll(async () => (await browser.call(apiKey, `/v1/searches/${searchId}`)).status).toBe(200);
    await browser.show(page, 'recall');
    await page.getByRole('link', { name: new RegExp(`${QUESTION}.*the 2nd helped`) }).click();
    await page.getByText('2nd then, helped').waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe(QUESTION);
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Results').selectOption('5');
    await expect.poll(() => new URL(page.url()).searchParams.get('searchId')).toBeNull();
    expect(new URL(page.url()).searchParams.get('q')).toBe(QUESTION);
  });

  test('say who asked and when, and which memory changed since, as it was then', async () => {
    const { page, apiKey } = await browser.openApp('', {}, MEMORIES);
    const answer = await fetch(`${browser.daemon.baseUrl}/v1/search`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${apiKey}`,
        'user-agent': 'claude-code/2.1.0',
      },
      body: JSON.stringify({ query: QUESTION, user: 'ada' }),
    });
    const { searchId, results } = (await answer.json()) as SearchAnswer;
    const [first] = results;
    const content = `${first!.content}, corrected`;
    await browser.call(apiKey, `/v1/memories/${first!.id}`, { content }, 'PATCH');
    await expect.poll(async () => (await browser.call(apiKey, `/v1/searches/${searchId}`)).status).toBe(200);
    await browser.show(page, `recall?searchId=${searchId}`);
    await page.getByText('Claude Code asked this just now').waitFor();
    const marks = page.getByRole('link', { name: /^changed since/ });
    await marks.waitFor();
    await marks.click();
    await page.getByText('This is version 1, as it was then.').waitFor();
  });

  test('that are no longer stored say so', async () => {
    const { page } = await browser.openApp('recall', {}, MEMORIES);
    await browser.show(page, 'recall?searchId=srch_01a2016d93707280a33e012e50119f01');
    await page.getByRole('heading', { name: 'This search is not stored anymore' }).waitFor();
  });
});

describe.each(['light', 'dark'] as const)('Recall in the %s theme', (colorScheme) => {
  test('is accessible and fits a phone in every state', { timeout: 120_000 }, async () => {
    const opened = await openAsked('', { colorScheme, reducedMotion: 'reduce' });
    const { page, apiKey, consoleErrors } = opened;
    await teach(apiKey);
    for (const parameters of ['', '&details=1', '&minRelevance=0.9&limit=5']) {
      await browser.show(page, `recall?user=ada&q=harbor+office${parameters}`);
      await settled(page);
      if (parameters === '') {
        await page.getByRole('button', { name: 'Why' }).first().click();
        await page.getByRole('button', { name: 'This helped' }).first().click();
      }
      expect(await browser.axe(page), parameters).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await fits(page), parameters).toBe(true);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    expect(consoleErrors).toEqual([]);
  });
});

test('Recall and Learning fit a phone with long names and texts, and show markup as text', {
  timeout: 60_000,
}, async () => {
  const user = 'u'.repeat(120);
  const content = `<img src=x onerror=alert(1)> ${'unbroken'.repeat(80)} harbor`;
  const { page, apiKey, consoleErrors } = await browser.openApp('', { viewport: { width: 360, height: 740 } }, [
    { content, user, project: 'p'.repeat(100) },
  ]);
  const found = await browser.call(apiKey, '/v1/search', { query: 'harbor', user });
  const { searchId, results } = (await found.json()) as SearchAnswer;
  await browser.call(apiKey, `/v1/searches/${searchId}/feedback`, { used: [results[0]!.id] });
  for (const view of ['recall?q=harbor', 'recall?q=harbor&details=1', 'recall', 'learning']) {
    await browser.show(page, `${view}${view.includes('?') ? '&' : '?'}user=${user}`);
    expect(await fits(page), view).toBe(true);
  }
  expect(consoleErrors).toEqual([]);
});
