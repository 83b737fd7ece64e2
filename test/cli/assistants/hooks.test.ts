import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHooks, removeHooks, writeHooks } from '../../../src/cli/assistants/editing/edit-hooks.ts';
import { HOOK_CLIENTS, HOOK_EVENTS } from '../../../src/cli/hook/hook-event.ts';
import { type RunOptions, runMcpConfig } from './run-mcp-config.ts';
import { scratchHome } from './scratch-home.ts';

const SETTINGS = 'home/.claude/settings.json';
const HOOKS = {
  commands: {
    Stop: 'svc hook stop --client claude-code',
    UserPromptSubmit: '/n "/a b/svc" hook prompt --client claude-code',
  },
  allowed: ['mcp__svc__memory_search', 'mcp__svc__memory_get'],
};
const scratch = scratchHome();
const run = (argv: string[], options: Partial<RunOptions> = {}) =>
  runMcpConfig(argv, { environment: scratch.environment, ...options });
const read = (path: string) => readFile(join(scratch.folder, path), 'utf8');
const json = async (path: string) => JSON.parse(await read(path));

describe('editing hooks', () => {
  const hook = fc.record({
    type: fc.constant('command'),
    command: fc.constantFrom('lint', 'svc-lint hook', 'echo ключ'),
  });
  const group = fc.record(
    { matcher: fc.constantFrom('', 'Bash', 'startup|resume'), hooks: fc.array(hook, { minLength: 1, maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  );
  const groups = fc.array(group, { minLength: 1, maxLength: 2 });
  const settings = fc
    .record(
      {
        model: fc.constant('opus'),
        hooks: fc.record({ Stop: groups, PreToolUse: groups }, { requiredKeys: ['PreToolUse'] }),
        permissions: fc.record({ allow: fc.constant(['Bash(ls)', 'mcp__other__x']), deny: fc.constant([]) }),
        last: fc.constant({ nested: [1, { a: null }] }),
      },
      { requiredKeys: ['model'] },
    )
    .chain((data) =>
      fc
        .tuple(fc.constantFrom<string | number>(2, 4, '\t'), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n'))
        .map(([unit, lineBreak, end]) => (JSON.stringify(data, null, unit) + end).replaceAll('\n', lineBreak)),
    );

  test('adding and removing them restores any file byte for byte, and everything else is preserved', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const added = writeHooks(text, HOOKS);
        expect(readHooks(added)).toEqual(HOOKS);
        expect(writeHooks(added, HOOKS)).toBe(added);
        expect(removeHooks(added)).toBe(text);
        expect(removeHooks(text)).toBe(text);
      }),
    );
  });

  test('a command that has changed is updated in place, with what its owner added', () => {
    const text =
      '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "svc hook stop --client x", "timeout": 9}]}]}}';
    expect(JSON.parse(writeHooks(text, { commands: { Stop: HOOKS.commands.Stop }, allowed: [] }))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: HOOKS.commands.Stop, timeout: 9 }] }] },
    });
  });

  test('a hook that its owner added to the same group stays', () => {
    const added = JSON.parse(writeHooks('', HOOKS));
    added.hooks.Stop[0].hooks.push({ type: 'command', command: 'lint' });
    expect(JSON.parse(removeHooks(JSON.stringify(added)))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'lint' }] }] },
    });
  });

  test.each(['{ "hooks": { ', '{ // mine\n }', '{"hooks": []}', '{"hooks": {"Stop": {}}}'])(
    '%j is rejected',
    (text) => {
      expect(() => writeHooks(text, HOOKS)).toThrow(/line 1, column \d+/);
    },
  );
});

describe('--hooks', () => {
  test('writes a hook for each event of Claude Code, and allows the tools that only read', async () => {
    expect((await run(['claude-code', '--hooks'])).exitCode).toBe(0);
    const { hooks, permissions } = await json(SETTINGS);
    const script = join(scratch.environment.home, 'svc/bin/svc');
    const command = (event: string) => `/opt/node/bin/node ${script} hook ${event} --client claude-code`;
    expect(hooks).toEqual({
      SessionStart: [{ hooks: [{ type: 'command', command: command('session-start') }] }],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: command('prompt') }] }],
      Stop: [{ hooks: [{ type: 'command', command: command('stop') }] }],
      PreCompact: [{ hooks: [{ type: 'command', command: command('pre-compact') }] }],
      SessionEnd: [{ hooks: [{ type: 'command', command: command('session-end') }] }],
    });
    expect(permissions.allow).toEqual(['search', 'context', 'get', 'list'].map((name) => `mcp__svc__memory_${name}`));
  });

  test('writes those of Codex to hooks.json and says that they must be trusted', async () => {
    const { error } = await run(['codex', '--hooks']);
    expect(error).toContain('type /hooks in Codex and trust them');
    const { hooks, permissions } = await json('home/.codex/hooks.json');
    expect(Object.keys(hooks)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact']);
    expect(permissions).toBeUndefined();
  });

  test.each(['claude-code', 'codex'])('of %s call only events and clients that svc hook knows', async (id) => {
    const { out } = await run([id, '--hooks', '--print']);
    const calls = [...out.matchAll(/ hook (\S+) --client ([\w-]+)"/g)];
    expect(calls.length).toBeGreaterThanOrEqual(4);
    for (const [, event, client] of calls) {
      expect(HOOK_EVENTS).toContain(event);
      expect(HOOK_CLIENTS).toContain(client);
    }
    await expect(read(SETTINGS)).rejects.toThrow('ENOENT');
  });

  test('are listed, written only if asked for, and removed without a trace', async () => {
    const before = '{\n  "hooks": {},\n  "model": "opus"\n}\n';
    const path = await scratch.put(SETTINGS, before, 0o640);
    await run(['claude-code']);
    expect(await read(SETTINGS)).toBe(before);
    expect((await run(['claude-code', '--hooks', '--dry-run'])).out).toContain('hook stop --client claude-code');
    expect(await read(SETTINGS)).toBe(before);
    expect((await run(['claude-code', '--hooks'])).out).toContain(
      '✓ Claude Code: hooks added to ~/.claude/settings.json',
    );
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await run(['claude-code', '--hooks'])).out).toContain('· Claude Code: hooks already in');
    expect((await run(['--list'])).out).toMatch(/✓ Claude Code +hooks {2}~\/\.claude\/settings\.json\n/);
    await run(['--remove', '--yes']);
    expect(await read(SETTINGS)).toBe(before);
  });

  test('quote a path that a shell would split', async () => {
    const program = { node: '/opt/my node/node', script: '/opt/$x/svc' };
    await run(['claude-code', '--hooks'], { context: { program } });
    expect(readHooks(await read(SETTINGS)).commands.Stop).toBe(
      '"/opt/my node/node" "/opt/\\$x/svc" hook stop --client claude-code',
    );
  });

  test('a file that cannot be parsed is reported and left alone', async () => {
    await scratch.put(SETTINGS, '{ oops');
    const { exitCode, error } = await run(['claude-code', '--hooks']);
    expect(exitCode).toBe(1);
    expect(error).toContain('! Claude Code: ~/.claude/settings.json: line 1, column 3: not valid JSON');
    expect(await read(SETTINGS)).toBe('{ oops');
  });

  test.each([
    [['cursor', '--hooks'], 'Cursor has no user file for hooks that svc knows: omit --hooks.'],
    [['codex', '--hooks', '--profile', 'work'], "option '--hooks' cannot be used with option '--profile"],
  ])('%j exits with code 2 and writes nothing', async (argv, reason) => {
    expect(await run(argv)).toMatchObject({ exitCode: 2, error: expect.stringContaining(reason) });
    await expect(read('home/.codex/hooks.json')).rejects.toThrow('ENOENT');
  });
});
