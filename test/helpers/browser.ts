import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Starts the system's Chromium. Close it when done. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** A page in a browser context of its own, with what its console reports. */
export interface WatchedPage {
  page: Page;
  /** Errors, warnings and violations of the content security policy. */
  consoleErrors: string[];
  close(): Promise<void>;
}

/** Opens a page and records its console errors, warnings and violations of the content security policy. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const consoleErrors: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text());
  });
  context.on('weberror', (error) => consoleErrors.push(String(error.error())));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return { page: await context.newPage(), consoleErrors, close: () => context.close() };
}

/** Whether the page is not wider than its window. */
export function fitsWindow(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}
