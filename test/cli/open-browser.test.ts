import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBrowser } from '../../src/cli/open-browser.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-browser-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** Opens a page with a launcher of browsers that is this script. */
async function openWith(script: string): Promise<{ opened: Promise<boolean> }> {
  await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PATH: [folder, process.env.PATH].join(delimiter), DISPLAY: ':0' };
  return { opened: openBrowser('http://127.0.0.1:8787', { home: folder, cwd: folder, platform: 'linux', env }) };
}

describe.skipIf(process.platform !== 'linux')('the launcher of browsers', () => {
  test('has opened one if it exits with 0, and none otherwise', async () => {
    expect(await (await openWith('exit 0')).opened).toBe(true);
    expect(await (await openWith('exit 3')).opened).toBe(false);
  });

  test('is not waited for if it stays as long as the browser', async () => {
    const { opened } = await openWith('exec sleep 4');
    vi.advanceTimersByTime(1500);
    expect(await opened).toBe(true);
  });
});
