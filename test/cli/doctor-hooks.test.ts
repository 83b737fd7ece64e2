import { chmod, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOOK_TABLE } from '../../src/cli/assistants/hook-table.ts';
import { checkHooks } from '../../src/cli/doctor/hook-checks.ts';
import { runMcpConfig } from './assistants/run-mcp-config.ts';
import { scratchHome } from './assistants/scratch-home.ts';

const scratch = scratchHome();
let script: string;

beforeEach(async () => {
  script = await scratch.put('svc/bin/svc', '#!/bin/sh\n');
  await chmod(script, 0o755);
});

/** Runs `svc mcp-config` as the program in the scratch folder. */
async function setUp(...argv: string[]): Promise<void> {
  const context = { program: { node: process.execPath, script } };
  const { exitCode, error } = await runMcpConfig(argv, { environment: scratch.environment, context });
  expect({ exitCode, error: exitCode === 0 ? '' : error }).toEqual({ exitCode: 0, error: '' });
}

const check = () => checkHooks({ environment: scratch.environment, script });
const only = async () => {
  const [finding, ...others] = await check();
  expect(others).toEqual([]);
  return finding;
};
const change = async (path: string, from: string, to: string) => {
  const file = join(scratch.folder, path);
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replaceAll(from, to));
};

describe.each([...Object.keys(HOOK_TABLE).filter((id) => id !== 'codex'), 'opencode'])('the hooks of %s', (id) => {
  test('are fine once they are set up', async () => {
    await setUp(id, '--hooks');
    expect(await only()).toMatchObject({ check: expect.stringMatching(/ hooks$/), state: 'ok' });
  });

  test('are a problem if svc is gone, and are mended by writing them again', async () => {
    await setUp(id, '--hooks');
    await rm(script);
    const finding = await only();
    expect(finding).toMatchObject({ state: 'problem', fix: `svc mcp-config ${id} --hooks` });
    expect(finding?.message).toContain(`starts ${script}, which does not exist`);
    script = await scratch.put('moved/bin/svc', '');
    await setUp(id, '--hooks');
    expect(await only()).toMatchObject({ state: 'ok' });
  });

  test('are a warning if they start another svc', async () => {
    await setUp(id, '--hooks', '--scope', 'project');
    const other = script;
    script = await scratch.put('other/bin/svc', '');
    expect(await only()).toMatchObject({
      state: 'warning',
      message: expect.stringContaining(`starts ${other}; this is ${script}`),
      fix: `svc mcp-config ${id} --hooks --scope project`,
    });
  });

  test('are mentioned if only the server is set up, and not otherwise', async () => {
    expect(await check()).toEqual([]);
    await setUp(id);
    expect(await only()).toMatchObject({
      state: 'ok',
      message: `none; svc mcp-config ${id} --hooks adds them`,
    });
  });
});

test('svc on the PATH is this svc if it leads to it', async () => {
  await symlink(script, join(dirname(await scratch.put('bin/x', '')), 'svc'));
  await setUp('cursor', '--hooks');
  expect(await readFile(join(scratch.folder, 'home/.cursor/hooks.json'), 'utf8')).toContain('"svc hook prompt');
  expect(await only()).toMatchObject({ state: 'ok' });
  await rm(join(scratch.folder, 'bin/svc'));
  expect(await only()).toMatchObject({ state: 'problem', message: expect.stringContaining('starts svc, which does') });
});

test('a path with spaces is found again', async () => {
  script = await scratch.put('my svc/$bin/svc', '');
  await setUp('claude-code', '--hooks');
  expect(await only()).toMatchObject({ state: 'ok', message: '~/.claude/settings.json' });
});

test('hooks that their owner removed in part are not a warning', async () => {
  await setUp('claude-code', '--hooks');
  await change('home/.claude/settings.json', ' hook stop ', ' hooked stop ');
  expect(await only()).toMatchObject({ state: 'ok', message: '~/.claude/settings.json, for 4 of 5 events' });
});

test.each([
  ['claude-code', '.claude/settings.json', '{\n  "disableAllHooks": true,', 'disableAllHooks'],
  ['gemini', '.gemini/settings.json', '{\n  "hooksConfig": { "enabled": false },', 'hooksConfig.enabled'],
])('hooks of %s that the assistant switches off are a warning', async (id, path, start, name) => {
  await setUp(id, '--hooks');
  const file = join(scratch.folder, 'home', path);
  await writeFile(file, (await readFile(file, 'utf8')).replace('{', start));
  expect(await only()).toMatchObject({
    state: 'warning',
    message: `${name} in ~/${path} switches all hooks off`,
    fix: `remove ${name} from that file`,
  });
});

test('a file that cannot be parsed is a problem', async () => {
  await scratch.put('home/.cursor/hooks.json', '{');
  expect(await only()).toMatchObject({
    check: 'Cursor hooks',
    state: 'problem',
    message: expect.stringContaining('~/.cursor/hooks.json: line 1'),
    fix: 'repair that file, then svc mcp-config cursor --hooks',
  });
});

test('a plugin of opencode by another version of svc is a warning', async () => {
  await setUp('opencode', '--hooks');
  await change('home/.config/opencode/plugins/svc.js', 'LIMIT_MS = 2000', 'LIMIT_MS = 1000');
  expect(await only()).toMatchObject({ state: 'warning', fix: 'svc mcp-config opencode --hooks' });
});

describe('the hooks of Codex', () => {
  /** Writes what Codex writes when its user trusts hooks. */
  async function trust(events: Record<string, string>, fields = 'trusted_hash = "sha256:1"'): Promise<void> {
    const path = join(scratch.environment.home, '.codex/hooks.json');
    const tables = Object.entries(events).map(([event, at]) => `[hooks.state."${path}:${event}:${at}"]\n${fields}\n`);
    await scratch.put('home/.codex/config.toml', tables.join('\n'));
  }
  const ALL = { session_start: '0:0', user_prompt_submit: '0:0', stop: '0:0', pre_compact: '0:0', session_end: '0:0' };

  test('are a warning until all of them are trusted', async () => {
    await setUp('codex', '--hooks');
    expect(await only()).toEqual({
      check: 'Codex hooks',
      state: 'warning',
      message: 'Codex skips 5 of 5 hooks in ~/.codex/hooks.json: you have not trusted them',
      fix: 'type /hooks in Codex and trust them',
    });
    await trust({ session_start: '0:0', stop: '0:0' });
    expect(await only()).toMatchObject({ message: expect.stringContaining('skips 3 of 5 hooks') });
    await trust(ALL);
    expect(await only()).toMatchObject({ state: 'ok', message: '~/.codex/hooks.json' });
    await trust(ALL, 'trusted_hash = "sha256:1"\nenabled = false');
    expect(await only()).toMatchObject({ state: 'warning' });
  });

  test('are found at their position among others', async () => {
    const lint = { hooks: [{ type: 'command', command: 'lint' }] };
    await scratch.put('home/.codex/hooks.json', JSON.stringify({ hooks: { Stop: [lint, lint] } }));
    await setUp('codex', '--hooks');
    await trust(ALL);
    expect(await only()).toMatchObject({ message: expect.stringContaining('skips 1 of 5 hooks') });
    await trust({ ...ALL, stop: '2:0' });
    expect(await only()).toMatchObject({ state: 'ok' });
  });
});

describe('the plugin of Claude Code', () => {
  const enabled = (on: boolean) => JSON.stringify({ enabledPlugins: { 'svc@svc': on, 'svcx@svc': true } });

  test('is a warning beside hooks in the settings', async () => {
    await scratch.put('home/.claude/settings.json', enabled(true));
    await setUp('claude-code', '--hooks');
    const [, twice] = await check();
    expect(twice).toEqual({
      check: 'Claude Code hooks',
      state: 'warning',
      message: 'each runs twice: they are in ~/.claude/settings.json and in the plugin svc@svc',
      fix: 'svc mcp-config claude-code --remove, or claude plugin uninstall svc@svc',
    });
  });

  test('has its own hooks if svc is on the PATH', async () => {
    await scratch.put('home/.claude/settings.json', enabled(true));
    expect(await only()).toMatchObject({
      state: 'problem',
      message: 'the plugin svc@svc starts svc, which does not exist',
    });
    await symlink(script, join(dirname(await scratch.put('bin/x', '')), 'svc'));
    expect(await only()).toMatchObject({ state: 'ok', message: 'in the plugin svc@svc' });
    await scratch.put('home/.claude/settings.json', enabled(false));
    expect(await check()).toEqual([]);
  });
});
