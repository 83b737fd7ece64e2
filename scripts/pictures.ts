import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { callApi, signInByMail } from '../bench/api-session.ts';
import { inFreshFolder, ROOT, startDaemon } from '../bench/processes.ts';
import { openTerminal } from '../test/helpers/terminal.ts';
import { terminalSvg } from './terminal-svg.ts';

/**
 * Makes the pictures of the README from a real session of the built program: the terminal through tmux, the web page
 * through headless Chromium. Needs tmux, chromium and port 8787.
 */

const PICTURES = join(ROOT, 'docs/pictures');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const COLUMNS = 82;

const MEMORIES = [
  { content: 'Ada prefers oolong tea, never coffee after four', tags: ['taste'] },
  { content: 'Teas are kept in the left cupboard', tags: ['kitchen'] },
  { content: 'The staging database runs PostgreSQL 15; production is on 16', tags: ['infrastructure'] },
  { content: 'Use pnpm in the web repository, npm everywhere else', tags: ['conventions'] },
  { content: 'Ada moved to Bergen in March and works from the harbor office', tags: ['people'] },
  { content: 'Release notes go out on Thursdays, written by whoever is on call', tags: ['process'] },
  {
    content: 'The billing service must never retry a charge without its idempotency key',
    tags: ['conventions', 'billing'],
  },
];

const COMMANDS = [
  'svc add "The harbor office closes at six on Fridays" --tag office',
  'svc search what does Ada like to drink --explain --limit 2',
  'svc status',
];

async function pictureTerminal(folder: string, url: string, apiKey: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(join(ROOT, 'bin/svc'), join(bin, 'svc'));
  const terminal = await openTerminal({
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      SVC_URL: url,
      SVC_API_KEY: apiKey,
      SVC_CONFIG_DIR: join(folder, 'settings'),
      LANG: 'C.UTF-8',
    },
    columns: COLUMNS,
    rows: 44,
  });
  try {
    for (const [index, command] of COMMANDS.entries()) {
      await terminal.sees(/\$ ?$/);
      await terminal.type(`${command}\n`);
      // The prompt comes back once for every command that ended.
      await terminal.sees(new RegExp(`(^\\$ .*[\\s\\S]*){${index + 1}}\\n\\$ ?$`, 'm'));
    }
    const lines = (await terminal.colors()).trimEnd().split('\n').slice(0, -1);
    return terminalSvg(lines, COLUMNS, 'svc add, svc search and svc status in a terminal');
  } finally {
    await terminal.close();
  }
}

async function pictureDashboard(url: string, apiKey: string): Promise<Buffer> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1150 }, colorScheme: 'light' });
    await page.goto(`${url}/dashboard#key=${apiKey}`);
    await page.waitForLoadState('networkidle');
    await page.getByRole('searchbox').fill('where does Ada live?');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => window.scrollTo(0, 0));
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}

await inFreshFolder(async (folder) => {
  const daemon = await startDaemon({ dataDir: join(folder, 'data'), settings: { SVC_PORT: '8787' } });
  try {
    const apiKey = await signInByMail(daemon.url, join(folder, 'data/mail'), 'ada@example.com');
    await callApi(daemon.url, apiKey, '/v1/memories/batch', { memories: MEMORIES });
    await mkdir(PICTURES, { recursive: true });
    const svg = await pictureTerminal(folder, daemon.url, apiKey);
    await writeFile(join(PICTURES, 'terminal.svg'), svg);
    await writeFile(join(PICTURES, 'dashboard.png'), await pictureDashboard(daemon.url, apiKey));
  } catch (error) {
    process.stderr.write(await readFile(join(folder, 'data/daemon.log'), 'utf8').catch(() => ''));
    throw error;
  } finally {
    await daemon.stop();
  }
});
