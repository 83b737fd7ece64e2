import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { callApi, signInByMail } from '../bench/api-session.ts';
import { inFreshFolder, ROOT, startDaemon } from '../bench/processes.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openTerminal } from '../test/helpers/terminal.ts';
import { PICTURE_QUESTIONS, pictureMemories } from './picture-data.ts';
import { terminalSvg } from './terminal-svg.ts';

/**
 * Makes the pictures of the README from a real session of the built program: the terminal through tmux, the web page
 * through headless Chromium. Needs tmux, chromium and port 8787.
 */

const PICTURES = join(ROOT, 'docs/pictures');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const COLUMNS = 82;

const COMMANDS = [
  'svc add "The harbor office closes at six on Fridays" --tag office',
  'svc search what does Ada like to drink --explain --limit 2',
  'svc status',
];

/** Shows what is learned from answers: the same question before and after an assistant used a memory for it. */
function weekOf(url: string, apiKey: string): (string | (() => Promise<void>))[] {
  const search = 'svc search which typeface --limit 3';
  return ['# Monday', search, () => answerOften(url, apiKey), '# Friday, after six answers that used one', search];
}

/** Asks and stores the answer, as the hooks of an assistant do. */
async function answerOften(url: string, apiKey: string): Promise<void> {
  const query = 'Which typeface should the new editor have?';
  const content = 'Your editor is set in Iosevka, size 15: the new one gets the same.';
  for (let uses = 1; uses <= 6; uses += 1) {
    await callApi(url, apiKey, '/v1/context', { query, purpose: 'prompt' });
    await callApi(url, apiKey, '/v1/remember', { messages: [{ role: 'assistant', content }] });
    const learned = async () => (await callApi(url, apiKey, '/v1/retrieval')) as { events: number };
    while ((await learned()).events < uses) await sleep(50);
  }
}

/** Runs commands in a terminal, with what happens between them, and draws what it shows. */
async function pictureTerminal(
  folder: string,
  [url, apiKey]: readonly [string, string],
  steps: readonly (string | (() => Promise<void>))[],
  title: string,
): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await symlink(join(ROOT, 'bin/svc'), join(bin, 'svc')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
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
    let commands = 0;
    for (const step of steps) {
      if (typeof step !== 'string') {
        await step();
        continue;
      }
      commands += 1;
      await terminal.sees(/\$ ?$/);
      await terminal.type(`${step}\n`);
      // The prompt comes back once for every command that ended.
      await terminal.sees(new RegExp(`(^\\$ .*[\\s\\S]*){${commands}}\\n\\$ ?$`, 'm'));
    }
    const lines = (await terminal.colors()).trimEnd().split('\n').slice(0, -1);
    return terminalSvg(lines, COLUMNS, title);
  } finally {
    await terminal.close();
  }
}

/** Views of the web app, by the name of their picture. */
const VIEWS = {
  memories: '/dashboard/memories',
  recall: '/dashboard/recall?q=what+does+Ada+drink%3F',
  learning: '/dashboard/learning',
};

async function pictureViews(url: string, apiKey: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
    await page.goto(`${url}/dashboard#key=${apiKey}`);
    await page.getByRole('button', { name: 'Open the account' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    for (const [name, path] of Object.entries(VIEWS)) {
      await page.goto(`${url}${path}`);
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      await page.waitForFunction(() => !document.querySelector('.loading'));
      // The event stream keeps the network busy: wait for what is drawn after loading instead.
      await page.waitForTimeout(1000);
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    }
    // Topics are found within ten seconds, and teaching has used up the requests of the minute.
    await page.waitForTimeout(20_000);
    await page.goto(`${url}/dashboard/topics`);
    await page.getByRole('button', { name: /^Ada\b/ }).click({ timeout: 30_000 });
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(PICTURES, 'topic.png') });
  } finally {
    await browser.close();
  }
}

/** Asks the questions over and over, and reports which result helped, as assistants do. */
async function teach(url: string, apiKey: string): Promise<void> {
  for (let round = 0; round < 6; round++) {
    for (const [query, answer] of PICTURE_QUESTIONS) {
      const found = await callApi(url, apiKey, '/v1/search', { query });
      const { searchId, results } = found as { searchId: string; results: { id: string; content: string }[] };
      const used = results.filter(({ content }) => content.includes(answer)).map(({ id }) => id);
      if (used.length > 0) await callApi(url, apiKey, `/v1/searches/${searchId}/feedback`, { used });
    }
  }
}

await inFreshFolder(async (folder) => {
  const daemon = await startDaemon({ dataDir: join(folder, 'data'), settings: { SVC_PORT: '8787' } });
  try {
    const apiKey = await signInByMail(daemon.url, join(folder, 'data/mail'), 'ada@example.com');
    await callApi(daemon.url, apiKey, '/v1/memories/batch', { memories: pictureMemories(systemClock.nowMs()) });
    await mkdir(PICTURES, { recursive: true });
    const session = [daemon.url, apiKey] as const;
    const week = await pictureTerminal(folder, session, weekOf(...session), 'The same search before and after answers');
    await writeFile(join(PICTURES, 'week.svg'), week);
    await teach(daemon.url, apiKey);
    const title = 'svc add, svc search and svc status in a terminal';
    await writeFile(join(PICTURES, 'terminal.svg'), await pictureTerminal(folder, session, COMMANDS, title));
    await pictureViews(daemon.url, apiKey);
  } catch (error) {
    process.stderr.write(await readFile(join(folder, 'data/daemon.log'), 'utf8').catch(() => ''));
    throw error;
  } finally {
    await daemon.stop();
  }
});
