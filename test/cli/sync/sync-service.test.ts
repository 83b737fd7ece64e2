import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceContext } from '../../../src/cli/service/context.ts';
import { installSyncService, uninstallSyncService } from '../../../src/cli/sync/sync-service.ts';

/** `svc sync FOLDER --service`: the unit of a folder, beside the daemon's. */

let home: string;
let calls: string[];
let out: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-sync-service-'));
  calls = [];
  out = '';
});
afterEach(() => rm(home, { recursive: true }));

function contextOf(platform: NodeJS.Platform, env: Record<string, string> = {}): ServiceContext {
  const terminal = { isTty: false, errorIsTty: false, columns: 80, color: false, closed: new AbortController().signal };
  const print = (text: string) => {
    out += text;
  };
  const context: Partial<ServiceContext> = {
    terminal: { ...terminal, out: print, error: print },
    environment: { platform, home, cwd: home, env: { USERNAME: 'ada', LOCALAPPDATA: join(home, 'local'), ...env } },
    settingsFolder: join(home, 'settings'),
    dataFolder: join(home, 'data'),
    uid: 1000,
    program: { node: '/usr/bin/node', script: '/opt/svc/bin/svc' },
    session: async () => ({ profileName: 'work', url: 'http://127.0.0.1:8787', apiKey: 'svc_live_x' }),
    async run(command, words) {
      calls.push([command, ...words].join(' '));
      const isLoaded = words[0] === 'print' && words[1] !== 'gui/1000';
      return { code: isLoaded ? 1 : 0, out: words.includes('--value') ? 'yes' : 'LoadState=loaded\n', error: '' };
    },
  };
  return context as ServiceContext;
}

const FOLDER = { root: '/home/ada/My notes', user: 'ada', project: 'site', profile: undefined };
const NAME = /svc-sync-my-notes-[0-9a-f]{8}/;

test('is a separate systemd unit, which never reads the settings of the daemon', async () => {
  await installSyncService(FOLDER, contextOf('linux'));
  const units = join(home, '.config', 'systemd', 'user');
  const [unit = ''] = await readdir(units);
  expect(unit).toMatch(new RegExp(`^${NAME.source}\\.service$`));
  const text = await readFile(join(units, unit), 'utf8');
  expect(text).toContain(
    'ExecStart=/usr/bin/node /opt/svc/bin/svc sync "/home/ada/My notes" --yes --existing --profile work --space default --user ada --project site\n',
  );
  expect(text).toContain('WorkingDirectory=/home/ada/My notes\n');
  expect(text).not.toMatch(/Environment|service\.env/);
  expect(calls).toEqual(
    expect.arrayContaining([`systemctl --user enable ${unit}`, `systemctl --user restart ${unit}`]),
  );
  expect(out).toMatch(
    /✓ \/home\/ada\/My notes is synced in the background\. Its log: journalctl --user --unit=svc-sync/,
  );
  calls = [];
  await uninstallSyncService(FOLDER.root, contextOf('linux'));
  expect(await readdir(units)).toEqual([]);
  expect(calls).toContain(`systemctl --user disable --now ${unit}`);
  expect(out).toContain('The files stay.');
});

test('is an agent of launchd with its own label', async () => {
  await installSyncService(FOLDER, contextOf('darwin'));
  const [file = ''] = await readdir(join(home, 'Library', 'LaunchAgents'));
  expect(file).toMatch(new RegExp(`^io\\.github\\.svc-memory\\.${NAME.source}\\.plist$`));
  const text = await readFile(join(home, 'Library', 'LaunchAgents', file), 'utf8');
  expect(text).toContain(
    '    <string>sync</string>\n    <string>/home/ada/My notes</string>\n    <string>--yes</string>\n    <string>--existing</string>\n    <string>--profile</string>',
  );
  expect(text).not.toContain('env-file');
});

test('is a scheduled task with its own name', async () => {
  await installSyncService(FOLDER, contextOf('win32'));
  const [file = ''] = await readdir(join(home, 'settings'));
  expect(file).toMatch(new RegExp(`^${NAME.source}\\.xml$`));
  expect(await readFile(join(home, 'settings', file), 'utf16le')).toContain(
    'sync &quot;/home/ada/My notes&quot; --yes --existing --profile work --space default',
  );
  expect(calls.at(-1)).toBe(`schtasks.exe /Run /TN ${file.replace('.xml', '')}`);
});

test('is refused where the key is only in the environment', async () => {
  await expect(installSyncService(FOLDER, contextOf('linux', { SVC_API_KEY: 'svc_live_x' }))).rejects.toThrow(
    'A service does not have SVC_API_KEY. Sign in with svc login, then unset it.',
  );
});

test('of notes of an assistant gets the folder of the project', async () => {
  const notes = {
    root: '/home/ada/.claude/projects/-home-ada-tea/memory',
    folder: '/home/ada/tea',
    native: 'claude-code',
  };
  await installSyncService({ ...notes, project: 'tea' }, contextOf('linux'));
  const units = join(home, '.config', 'systemd', 'user');
  const [unit = ''] = await readdir(units);
  expect(await readFile(join(units, unit), 'utf8')).toContain(
    'ExecStart=/usr/bin/node /opt/svc/bin/svc sync /home/ada/tea --yes --existing --profile work --space default --project tea --native claude-code\n',
  );
});
