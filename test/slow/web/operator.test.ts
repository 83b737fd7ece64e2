import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runAdmin } from '../../helpers/admin-command.ts';
import { browserTests, fits, type OpenPage, settled } from './browser.ts';

const browser = browserTests();

beforeAll(async () => {
  const { databaseUrl, masterKeys } = browser.daemon.config;
  if (databaseUrl) vi.stubEnv('SVC_DATABASE_URL', databaseUrl);
  if (masterKeys) vi.stubEnv('SVC_MASTER_KEY', masterKeys[0]!.toString('base64'));
  for (const name of ['ada', 'grace']) {
    const { apiKey } = await browser.daemon.signIn(`${name}@example.com`);
    await browser.call(apiKey, '/v1/memories', { content: `${name} likes tea` });
  }
});
afterAll(() => {
  vi.unstubAllEnvs();
});

async function printedLink(): Promise<string> {
  const { port } = new URL(browser.daemon.baseUrl);
  return (await runAdmin(browser.daemon.folder, ['open', '--print', '--port', port])).out.trim();
}

/** Opens the operator's view in a browser without an account, by the link of `svc admin open --print`. */
async function openOperator(options: Parameters<typeof browser.open>[0] = {}): Promise<OpenPage> {
  const opened = await browser.open(options);
  await opened.page.goto(await printedLink());
  await opened.page.getByRole('heading', { name: 'Accounts' }).waitFor();
  await settled(opened.page);
  return opened;
}

/** Browsers log refused requests: without an account, the session of one is refused. */
const unexpected = ({ consoleErrors }: OpenPage) => consoleErrors.filter((line) => !line.includes('status of 401'));

describe('the operator view', { timeout: 60_000 }, () => {
  test('opens by svc admin open alone, shows nothing else, and survives a reload', async () => {
    const opened = await openOperator();
    const { page } = opened;
    expect(page.url()).not.toContain('operator=');
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Views' }).getByRole('listitem').allTextContents())
      .toEqual(['Operator']);
    expect(await page.locator('body').textContent()).not.toContain('tea');
    await page.reload();
    await page.getByRole('row', { name: /ada@example.com/ }).waitFor();
    expect(unexpected(opened)).toEqual([]);
  });

  test('a link that was used says so', async () => {
    const link = await printedLink();
    for (const expected of ['Accounts', 'See what your assistants remember']) {
      const { page } = await browser.open();
      await page.goto(link);
      await page.getByRole('heading', { name: expected }).waitFor();
      if (expected !== 'Accounts') await page.getByText('Run svc admin open again').waitFor();
    }
  });

  test('with an account, it is in the navigation beside the other views', async () => {
    const { page } = await browser.openApp();
    await page.goto('about:blank');
    await page.goto(await printedLink());
    await page.getByRole('heading', { name: 'Accounts' }).waitFor();
    const links = await page.getByRole('navigation', { name: 'Views' }).getByRole('listitem').allTextContents();
    expect(links).toEqual(expect.arrayContaining(['Home', 'Operator']));
  });

  test('finds an account, changes its tier and erases it, each after a confirmation', async () => {
    const { page } = await openOperator();
    const email = browser.freshAddress();
    const { apiKey } = await browser.daemon.signIn(email);
    await page.getByLabel('Find by address').fill(email);
    await expect.poll(() => page.getByRole('table').first().getByRole('row').count()).toBe(2);
    const tier = page.getByLabel(`Tier of ${email}`);
    await tier.selectOption('Pro');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => tier.inputValue()).toBe('Free');
    await tier.selectOption('Pro');
    await page.getByRole('button', { name: 'Move to Pro' }).click();
    await page.getByText(`${email} is on Pro now.`).waitFor();
    await expect.poll(() => tier.inputValue()).toBe('Pro');
    expect(await (await browser.call(apiKey, '/v1/account')).json()).toMatchObject({ tier: 'Pro' });

    await page.getByRole('button', { name: `Erase ${email}` }).click();
    await page.getByLabel(/^Type/).fill(email);
    await page.getByRole('button', { name: 'Erase account' }).click();
    await page.getByText('No account has this in its address.').waitFor();
    expect((await browser.call(apiKey, '/v1/account')).status).toBe(401);
  });

  test('invites an address and withdraws the invitation', async () => {
    const { page } = await openOperator();
    await page.getByLabel('Address to invite').fill('linus@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Withdraw the invitation of linus@example.com' }).click();
    await page.getByText('No open invitations.').waitFor();
  });

  test('checks the database and makes a backup', async () => {
    const { page } = await openOperator();
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('The database is sound.').waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText(/Newest: svc-.*\.db/).waitFor();
  });

  test('says that the session has ended, and how to open it again', async () => {
    const { page } = await openOperator();
    browser.daemon.clock.advance(31 * 60_000);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('There is no operator session, or it has ended.').waitFor();
  });

  test.each(['light', 'dark'] as const)('has no violation of axe in the %s theme, and fits 360 px', async (scheme) => {
    for (const width of [1440, 360]) {
      const opened = await openOperator({ colorScheme: scheme, viewport: { width, height: 900 }, bypassCSP: true });
      expect(await browser.axe(opened.page)).toEqual([]);
      expect(await fits(opened.page)).toBe(true);
      expect(unexpected(opened)).toEqual([]);
    }
  });
});
