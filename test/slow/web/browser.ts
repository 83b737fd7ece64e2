import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { NewMemory } from '../../../src/contract/memories.ts';
import { VIEW_NAMES } from '../../../src/contract/view-names.ts';
import { startTestDaemon } from '../../helpers/daemon.ts';

type Daemon = Awaited<ReturnType<typeof startTestDaemon>>;

/** A page of a browser, with the errors, warnings and policy violations that it reported. */
export interface OpenPage {
  page: Page;
  consoleErrors: string[];
}

/** A signed-in page. */
export interface OpenApp extends OpenPage {
  apiKey: string;
  email: string;
}

/** Without the parts that show windows it takes a fifth less processor time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** How long pages offer to undo what cannot be taken back later: `UNDO_MS` in `src/dashboard/parts/toasts.tsx`. */
const UNDO_MS = 6000;

/** Axe rules that a page breaks, as `rule: selector`. */
type Violations = string[];

/** The views of an account. */
export const VIEWS = VIEW_NAMES.filter((name) => name !== 'operator');

/** Starts a daemon and a browser for the tests of a file, and closes after each test what it opened. */
export function browserTests(options: Parameters<typeof startTestDaemon>[0] = {}) {
  let browser: Browser;
  let daemon: Daemon;
  let axeSource: string;
  let contexts: BrowserContext[] = [];
  let addresses = 0;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? CHROMIUM.find((path) => existsSync(path)),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    daemon = await startTestDaemon(options);
    axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  }, 60_000);
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    // All browsers share one IP address: refill its rate limit without moving the wall clock.
    daemon.clock.advance(60_000);
    daemon.clock.setWall(Date.now());
  });
  afterAll(async () => {
    await browser?.close();
    await daemon?.close();
  });

  /** Opens a browser context with separate storage. */
  async function open(contextOptions: BrowserContextOptions = {}): Promise<OpenPage> {
    const context = await browser.newContext(contextOptions);
    contexts.push(context);
    const consoleErrors: string[] = [];
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text());
    });
    context.on('weberror', (error) => consoleErrors.push(String(error.error())));
    await context.addInitScript(holdTimers, UNDO_MS);
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    return { page: await context.newPage(), consoleErrors };
  }

  return {
    get daemon() {
      return daemon;
    },
    open,
    freshAddress: () => `person${++addresses}@example.com`,
    call: (apiKey: string | undefined, path: string, body?: object, method = body ? 'POST' : 'GET') =>
      fetch(`${daemon.baseUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    /** Signs in a new account and opens a view of it. */
    async openApp(view = '', contextOptions: BrowserContextOptions = {}, memories: NewMemory[] = []): Promise<OpenApp> {
      const email = `person${++addresses}@example.com`;
      const { apiKey } = await daemon.signIn(email);
      for (let start = 0; start < memories.length; start += 500) {
        const added = await this.call(apiKey, '/v1/memories/batch', { memories: memories.slice(start, start + 500) });
        if (added.status !== 200 && added.status !== 201) throw new Error(await added.text());
      }
      const opened = await open(contextOptions);
      await opened.page.goto(`${daemon.baseUrl}/dashboard${view && `/${view}`}#key=${apiKey}`);
      await opened.page.getByRole('button', { name: 'Open the account' }).click();
      await opened.page.getByRole('navigation', { name: 'Views' }).waitFor();
      // Before it asks, the page looks for a session: browsers report the 401 as an error.
      const others = opened.consoleErrors.filter((text) => !/status of 401/.test(text));
      opened.consoleErrors.splice(0, opened.consoleErrors.length, ...others);
      return { ...opened, apiKey, email };
    },
    /** Shows another view without loading the page again. */
    async show(page: Page, view: string): Promise<void> {
      await page.evaluate(
        (path) => {
          history.pushState(null, '', path);
          dispatchEvent(new PopStateEvent('popstate'));
        },
        `/dashboard${view === 'home' ? '' : `/${view}`}`,
      );
      await settled(page);
    },
    /** Returns the violations that axe finds on the current page. */
    async axe(page: Page): Promise<Violations> {
      // Compiling it takes as long as a run: once per document.
      if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
      return page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: Axe };
        const { violations } = await axe.run({ resultTypes: ['violations'] });
        return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
      });
    },
  };
}

interface Axe {
  run(options: { resultTypes: ['violations'] }): Promise<{ violations: AxeViolation[] }>;
}

interface AxeViolation {
  id: string;
  nodes: { target: string[] }[];
}

/** Waits until the page has loaded what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('main') !== null && !document.querySelector('.loading'));
}

/** Lets the time to undo pass: until then pages hold it, so that a test on a busy machine is never late. */
export async function passUndoTime(page: Page): Promise<void> {
  await page.evaluate(() => (globalThis as unknown as HoldingPage).passHeldTimers());
}

/** Waits until the page has shown what follows from what happened before. */
export async function rendered(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0)))),
  );
}

interface HoldingPage {
  passHeldTimers(): void;
}

/** Runs in the page before its scripts: timers of `heldMs` wait for `passHeldTimers`. */
function holdTimers(heldMs: number): void {
  const held = new Map<number, () => void>();
  const { setTimeout: start, clearTimeout: stop } = window;
  const holding = (callback: () => void, ms?: number, ...values: unknown[]): number => {
    if (ms !== heldMs) return start(callback, ms, ...values);
    // Another timer gives the id; it ends with the page.
    const id = start(() => {}, 2 ** 31 - 1);
    held.set(id, callback);
    return id;
  };
  const stopping = (id?: number) => {
    if (id !== undefined) held.delete(id);
    stop(id);
  };
  const passHeldTimers = () => {
    for (const [id, callback] of held) {
      // One that runs may stop others.
      held.delete(id);
      callback();
    }
  };
  Object.assign(window, { setTimeout: holding, clearTimeout: stopping, passHeldTimers });
}

/** Whether nothing makes the page scroll sideways. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}
