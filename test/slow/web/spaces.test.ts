import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { SPACE_HEADER, type Space, type SpaceMember } from '../../../src/contract/spaces.ts';
import { browserTests, fits, type OpenApp, passUndoTime, settled, VIEWS } from './browser.ts';

const browser = browserTests({ config: { defaultTier: 'Enterprise' } });

/** Calls as an account, in a space if one is given. */
async function call<T>(apiKey: string, path: string, body?: object, method = body ? 'POST' : 'GET', space?: string) {
  const response = await fetch(`${browser.daemon.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(space && { [SPACE_HEADER]: space }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** A space with a memory of its owner, and a member who has a page of it open. */
async function spaceWith(role: 'reader' | 'writer', member: OpenApp) {
  const email = browser.freshAddress();
  const { apiKey: owner } = await browser.daemon.signIn(email);
  const space = await call<Space>(owner, '/v1/spaces', { name: 'team' });
  const invited = await call<SpaceMember>(owner, `/v1/spaces/${space.id}/members`, { email: member.email, role });
  await call(member.apiKey, `/v1/spaces/${space.id}/join`, undefined, 'POST');
  await call(owner, '/v1/memories', { content: 'The office closes at six on Fridays' }, 'POST', space.id);
  await member.page.goto(`${browser.daemon.baseUrl}/dashboard/memories?space=${space.id}`);
  await row(member.page, 'office').waitFor();
  return { space, owner, email, invited };
}

/** What the top bar says that the page shows. */
const shown = async (page: Page) =>
  (await page.getByRole('banner').locator('.space-menu summary > span').allTextContents()).join(' ').replace('  ', ' ');
const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Memories' }).getByRole('button', { name: text });
const pane = (page: Page) => page.getByRole('complementary', { name: 'Memory' });

test('an owner makes a space and invites; the other joins, switches, writes, and copies from the own memory', {
  timeout: 60_000,
}, async () => {
  const ada = await browser.openApp('spaces');
  const lin = await browser.openApp('', {}, [{ content: 'Lin keeps a diary' }]);
  await ada.page.getByRole('heading', { name: 'No spaces yet' }).waitFor();
  expect(await shown(ada.page)).toBe('Shown: Your memory');
  await ada.page.getByLabel('New space').fill('team');
  await ada.page.getByLabel('New space').press('Enter');
  await ada.page.getByLabel('Invite by email address').fill(lin.email);
  await ada.page.getByRole('button', { name: 'Invite' }).click();
  await ada.page.getByText(`Invited ${lin.email}.`).waitFor();
  await ada.page.getByRole('list', { name: 'Log' }).getByText(`invited ${lin.email} as writer`).waitFor();

  await lin.page.reload();
  await lin.page.getByText(`${ada.email} invites you to the space “team”.`).waitFor();
  await lin.page.getByRole('link', { name: 'Join or decline' }).click();
  await lin.page.getByRole('button', { name: 'Join team' }).click();
  await lin.page.getByText('You are writer of “team” now.').waitFor();
  await lin.page.getByRole('link', { name: 'Open team' }).click();
  await lin.page.waitForURL(/\/dashboard\?space=ten_/);
  await expect.poll(() => shown(lin.page)).toBe('Shown: team writer');
  expect(await lin.page.title()).toBe('Home · team – svc');

  await lin.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Memories' }).click();
  await lin.page.getByRole('button', { name: 'Add', exact: true }).click();
  await lin.page.getByLabel('Text').fill('The demo is on Monday');
  await lin.page.keyboard.press('Control+Enter');
  await pane(lin.page).getByText(lin.email, { exact: true }).waitFor();
  expect(await row(lin.page, 'diary').count()).toBe(0);
  await lin.page.reload();
  await row(lin.page, 'The demo is on Monday').getByText(lin.email).waitFor();
  await lin.page.getByRole('list', { name: 'Switch' }).getByRole('link', { name: 'Your memory' }).click();
  await row(lin.page, 'diary').waitFor();
  expect(await row(lin.page, 'demo').count()).toBe(0);
  await lin.page.getByRole('checkbox', { name: 'Select all' }).check();
  await lin.page.getByRole('button', { name: 'Copy to space…' }).click();
  await lin.page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
  await lin.page.getByText('Copied 1 memory to “team”.').waitFor();
  await lin.page.goBack();
  await row(lin.page, 'diary').getByText(lin.email).waitFor();
  await row(lin.page, 'demo').click();
  await pane(lin.page).getByRole('button', { name: 'Forget' }).click();
  await row(lin.page, 'demo').waitFor({ state: 'detached' });
  const spaceId = new URL(lin.page.url()).searchParams.get('space')!;
  await lin.page.getByRole('list', { name: 'Switch' }).getByRole('link', { name: 'Your memory' }).click();
  await row(lin.page, 'diary').waitFor();
  await passUndoTime(lin.page);
  const stored = () => call<{ data: { content: string }[] }>(lin.apiKey, '/v1/memories', undefined, 'GET', spaceId);
  await expect.poll(async () => (await stored()).data.map(({ content }) => content)).toEqual(['Lin keeps a diary']);
  expect([ada.consoleErrors, lin.consoleErrors]).toEqual([[], []]);
});

test('a reader is offered nothing that changes the space, in no view', { timeout: 60_000 }, async () => {
  const reader = await browser.openApp();
  const { email } = await spaceWith('reader', reader);
  const { page } = reader;
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await row(page, 'office').getByText(email).waitFor();
  await row(page, 'office').click();
  await pane(page).getByText('Written by').waitFor();
  await page.keyboard.press('e');
  const changing = /^(add|edit|correct|outdated|forget|pin|rename|merge|hide|import|move|erase|tag)\b/i;
  for (const view of [undefined, ...VIEWS.filter((name) => name !== 'spaces')]) {
    if (view) {
      const params = view === 'recall' ? '&q=office' : '';
      await page.evaluate(
        ([path, search]) => {
          history.pushState(null, '', path! + search!);
          dispatchEvent(new PopStateEvent('popstate'));
        },
        [`/dashboard/${view === 'home' ? '' : view}`, `${new URL(page.url()).search.replace(/&.*/, '')}${params}`],
      );
      await settled(page);
    }
    expect(await page.getByRole('main').getByRole('button', { name: changing }).count(), view).toBe(0);
    expect(await page.getByRole('main').getByRole('link', { name: changing }).count(), view).toBe(0);
    expect(await page.locator('textarea, .mark').count(), view).toBe(0);
  }
  expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Connect' }).count()).toBe(0);
});

test('a member sees changes live, and loses sight of the space at once when removed, and sees why', {
  timeout: 60_000,
}, async () => {
  const writer = await browser.openApp();
  const { space, owner, invited } = await spaceWith('writer', writer);
  const { page } = writer;
  await call(owner, '/v1/memories', { content: 'Lunch moved to one' }, 'POST', space.id);
  await row(page, 'Lunch moved to one').waitFor();
  await call(owner, `/v1/spaces/${space.id}/members/${invited.id}`, { role: 'reader' }, 'PATCH');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Text').fill('The demo is on Monday');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => shown(page)).toBe('Shown: team reader');
  await expect.poll(() => page.getByRole('button', { name: 'Add', exact: true }).count()).toBe(0);
  await call(owner, `/v1/spaces/${space.id}/members/${invited.id}`, undefined, 'DELETE');
  // The stream of changes ends, without a call of the page.
  await page.getByRole('heading', { name: 'You are no longer in “team”' }).waitFor({ timeout: 20_000 });
  expect(await page.getByText('office').count()).toBe(0);
  await page.getByRole('link', { name: 'Open your memory' }).click();
  await expect.poll(() => shown(page)).toBe('Shown: Your memory');
});

test('a page of a space that the account is not in says so, and leads to an invitation', {
  timeout: 60_000,
}, async () => {
  const { page, email } = await browser.openApp();
  const { apiKey: owner } = await browser.daemon.signIn(browser.freshAddress());
  const { id } = await call<Space>(owner, '/v1/spaces', { name: 'team' });
  await page.goto(`${browser.daemon.baseUrl}/dashboard/memories?space=${id}`);
  await page.getByRole('heading', { name: 'You are not in this space' }).waitFor();
  await call(owner, `/v1/spaces/${id}/members`, { email, role: 'reader' });
  await page.reload();
  await page.getByRole('heading', { name: 'You are invited to “team”' }).waitFor();
  expect(await browser.axe(page)).toEqual([]);
  await page.getByRole('link', { name: 'See the invitation' }).click();
  await page.getByRole('button', { name: 'Decline team' }).click();
  await page.getByText('Declined the invitation to “team”.').waitFor();
});

test('a space and its page are accessible in both themes and fit a phone', { timeout: 60_000 }, async () => {
  const { page, apiKey } = await browser.openApp('', {
    reducedMotion: 'reduce',
    viewport: { width: 360, height: 740 },
  });
  const { id } = await call<Space>(apiKey, '/v1/spaces', { name: 'w'.repeat(64) });
  await call(apiKey, `/v1/spaces/${id}/members`, { email: `${'long'.repeat(15)}@example.com`, role: 'writer' });
  await call(apiKey, '/v1/memories', { content: 'The demo is on Monday' }, 'POST', id);
  for (const path of ['spaces', `spaces?space=${id}&id=${id}`, `memories?space=${id}`]) {
    await page.goto(`${browser.daemon.baseUrl}/dashboard/${path}`);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await settled(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await fits(page), path).toBe(true);
      expect(await browser.axe(page), path).toEqual([]);
    }
  }
});

test('offers no form for a space where only the operator makes them, and says who does', {
  timeout: 60_000,
}, async () => {
  const { page } = await browser.openApp('spaces');
  await page.getByLabel('New space').waitFor();
  await page.route('**/v1/spaces', (route) =>
    route.fulfill({ json: { data: [], nextCursor: null, makers: 'operator' } }),
  );
  await page.reload();
  await page.getByText('Only the operator of this svc makes spaces.').waitFor();
  expect(await page.getByLabel('New space').count()).toBe(0);
});
