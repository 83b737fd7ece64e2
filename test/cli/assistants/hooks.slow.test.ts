import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { HOOK_TABLE, READ_ONLY_TOOLS } from '../../../src/cli/assistants/hook-table.ts';
import { HOOK_CLIENTS, HOOK_EVENTS } from '../../../src/cli/hook/hook-event.ts';
import { jsonDocument } from './arbitrary-documents.ts';
import { type RunOptions, runMcpConfig } from './run-mcp-config.ts';
import { scratchHome } from './scratch-home.ts';

const SETTINGS = 'home/.claude/settings.json';
const scratch = scratchHome();
const run = (argv: string[], options: Partial<RunOptions> = {}) =>
  runMcpConfig(argv, { environment: scratch.environment, ...options });
const read = (path: string) => readFile(join(scratch.folder, path), 'utf8');
const json = async (path: string) => JSON.parse(await read(path));

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
    expect(Object.keys(hooks)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact', 'SessionEnd']);
    expect(permissions).toBeUndefined();
  });

  test.each(Object.keys(HOOK_TABLE))('of %s call only events and clients that svc hook knows', async (id) => {
    const { out } = await run([id, '--hooks', '--print']);
    const calls = [...out.matchAll(/ hook (\S+) --client ([\w-]+)"/g)];
    expect(new Set(calls.map(([, event]) => event)).size).toBe(calls.length);
    expect(calls.length).toBeGreaterThanOrEqual(4);
    for (const [, event, client] of calls) {
      expect(HOOK_EVENTS).toContain(event);
      expect(HOOK_CLIENTS).toContain(client);
    }
    await expect(read(SETTINGS)).rejects.toThrow('ENOENT');
  });

  test.each([
    ['claude-code', '.claude/settings.json', '.claude/settings.json'],
    ['codex', '.codex/hooks.json', '.codex/hooks.json'],
    ['gemini', '.gemini/settings.json', '.gemini/settings.json'],
    ['qwen', '.qwen/settings.json', '.qwen/settings.json'],
    ['cursor', '.cursor/hooks.json', '.cursor/hooks.json'],
    ['copilot', '.copilot/hooks/svc.json', '.github/hooks/svc.json'],
    ['opencode', '.config/opencode/plugins/svc.js', '.opencode/plugins/svc.js'],
  ])('of %s are written once, listed, and removed without a trace', async (id, user, project) => {
    for (const [scope, path] of [
      ['user', `home/${user}`],
      ['project', `project/${project}`],
    ] as const) {
      expect(await run([id, '--hooks', '--scope', scope])).toMatchObject({ exitCode: 0 });
      const written = await read(path);
      expect(written).toContain('/svc/bin/svc');
      expect((await run([id, '--hooks', '--scope', scope])).out).not.toContain('✓');
      expect(await read(path)).toBe(written);
      const { data } = JSON.parse((await run(['--list', '--json'])).out);
      const found = data.find(({ client }: { client: string }) => client === id);
      expect(found.hooks).toEqual([{ scope, path: join(scratch.folder, path) }]);
      expect((await run([id, '--remove', '--scope', scope])).exitCode).toBe(0);
      await expect(stat(join(scratch.folder, path))).rejects.toThrow('ENOENT');
    }
  });

  test.each([
    ['gemini', '.gemini/settings.json', '{\n  // mine\n  "mcpServers": { "a": {} }, // last\n}\n'],
    ['qwen', '.qwen/settings.json', '{\n  /* mine */\n  "permissions": { "allow": ["Edit"] }\n}\n'],
  ])('of %s share the file of the server entry, and --dry-run shows both', async (id, name, before) => {
    const path = await scratch.put(`home/${name}`, before, 0o640);
    const { out } = await run([id, '--hooks', '--dry-run']);
    expect(out.match(/^--- /gm)).toHaveLength(id === 'gemini' ? 2 : 1);
    expect(out).toMatch(/^\+.*"svc": ?\{/m);
    expect(out).toContain(`hook prompt --client ${id}`);
    expect(await read(`home/${name}`)).toBe(before);
    await run([id, '--hooks']);
    expect(await read(`home/${name}`)).toContain('mine');
    const { out: removing } = await run([id, '--remove', '--dry-run']);
    expect(removing).toMatch(/^-.*"svc": ?\{/m);
    expect(removing).toContain(`hook prompt --client ${id}`);
    await run([id, '--remove']);
    expect(await read(`home/${name}`)).toBe(before);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test('of Qwen Code allow the tools that only read, and those of Gemini CLI in a policy of their own', async () => {
    const script = join(scratch.environment.home, 'svc/bin/svc');
    await run(['qwen', 'gemini', '--hooks']);
    const tools = ['memory_search', 'memory_context', 'memory_get', 'memory_list'];
    const { permissions, hooks } = await json('home/.qwen/settings.json');
    expect(permissions.allow).toEqual(tools.map((name) => `mcp__svc__${name}`));
    expect(hooks.Stop[0].hooks[0].command).toBe(`/opt/node/bin/node ${script} hook stop --client qwen`);
    expect(parse(await read('home/.gemini/policies/svc.toml'))).toEqual({
      rule: [{ mcpName: 'svc', toolName: tools, decision: 'allow', priority: 100 }],
    });
    await run(['gemini', '--remove']);
    await expect(read('home/.gemini/policies/svc.toml')).rejects.toThrow('ENOENT');
  });

  test('name only tools that exist and change nothing', async () => {
    const source = await readFile('src/daemon/mcp/mcp-tools.ts', 'utf8');
    for (const name of READ_ONLY_TOOLS) {
      const [, tool] = source.split(`name: '${name}'`);
      expect(tool?.slice(0, tool.indexOf("name: 'memory_"))).toContain('annotations: READS,');
    }
  });

  test.each([
    ['copilot', '.copilot/hooks/svc.json', '{"version": 1, "hooks": {"agentStop": [{"bash": "mine"}]}}'],
    ['gemini', '.gemini/policies/svc.toml', '[[rule]]\nmcpName = "mine"\n'],
    ['opencode', '.config/opencode/plugins/svc.js', 'export const mine = async () => ({});\n'],
  ])('of %s do not replace a file of somebody else', async (id, name, before) => {
    await scratch.put(`home/${name}`, before);
    const { exitCode, error } = await run([id, '--hooks']);
    if (id !== 'copilot') {
      expect(exitCode).toBe(1);
      expect(error).toContain(`~/${name}: was not written by svc: rename it, then run the command again`);
    }
    expect(await read(`home/${name}`)).toContain('mine');
    await run([id, '--remove']);
    expect(await read(`home/${name}`)).toBe(before);
  });

  test.each(['gemini', 'cursor', 'copilot'])(
    'of %s can be called by PowerShell on Windows, where a quoted path is a string',
    async (id) => {
      const environment = { ...scratch.environment, platform: 'win32' as const };
      const program = { node: 'C:\\Program Files\\node.exe', script: 'C:\\svc\\bin\\svc' };
      const { out } = await run([id, '--hooks', '--print', '--json'], { environment, context: { program } });
      const { data } = JSON.parse(out) as { data: { text: string }[] };
      const { text } = data.find((printed) => printed.text.includes('--client'))!;
      const command = `& "C:\\Program Files\\node.exe" "C:\\svc\\bin\\svc" hook prompt --client ${id}`;
      expect(text).toContain(JSON.stringify(command));
    },
  );

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
    expect((await json(SETTINGS)).hooks.Stop[0].hooks[0].command).toBe(
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
    [['zed', '--hooks'], 'Zed has no user file for hooks that svc knows: omit --hooks.'],
    [['codex', '--hooks', '--profile', 'work'], "option '--hooks' cannot be used with option '--profile"],
  ])('%j exits with code 2 and writes nothing', async (argv, reason) => {
    expect(await run(argv)).toMatchObject({ exitCode: 2, error: expect.stringContaining(reason) });
    await expect(read('home/.codex/hooks.json')).rejects.toThrow('ENOENT');
  });
});

test.each([
  ['gemini', '.gemini/settings.json', jsonDocument('mcpServers')],
  ['qwen', '.qwen/settings.json', jsonDocument('mcpServers')],
  ['cursor', '.cursor/hooks.json', jsonDocument('hooks')],
])('%s: any file is restored byte for byte after --hooks and --remove', async (id, name, documents) => {
  let round = 0;
  const property = fc.asyncProperty(documents, async ({ text }) => {
    round += 1;
    const home = `home/${round}`;
    const environment = { ...scratch.environment, home: join(scratch.folder, home) };
    await scratch.put(`${home}/${name}`, text);
    expect(
      await run([id, '--hooks', '--instructions'].slice(0, id === 'cursor' ? 2 : 3), { environment }),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(await read(`${home}/${name}`)).toContain(`hook prompt --client ${id}`);
    expect(await run([id, '--remove'], { environment })).toMatchObject({ exitCode: 0 });
    expect(await read(`${home}/${name}`)).toBe(text);
  });
  await fc.assert(property, { numRuns: 5 });
});

describe('the checklist', () => {
  const inTerminal = (argv: string[], ...answers: string[]) =>
    run(argv, { environment: { ...scratch.environment, env: { INK_SCREEN_READER: '1' } }, answers });

  test('offers hooks and instructions after the assistants, and applies what is chosen', async () => {
    await run(['claude-code', 'gemini']);
    const { error, out } = await inTerminal([], '2 3');
    expect(error).toContain('   Claude Code: already set up\n   Gemini CLI: already set up\n');
    expect(error).toContain(
      'Hooks: recall and store without being asked\n' +
        '1. Claude Code: add hooks to ~/.claude/settings.json. Recalls and stores without being asked: Claude Code reports ' +
        'prompts and answers to svc hook. Lets it call the tools that only read without asking.\n' +
        '2. Gemini CLI: add hooks to ~/.gemini/settings.json, add permissions to ~/.gemini/policies/svc.toml. ',
    );
    expect(error).toContain(
      'Instructions: tell the assistants when to use the memory\n' +
        '3. Claude Code: add instructions to ~/.claude/CLAUDE.md. Tells Claude Code in ten lines when to recall and what to store.\n',
    );
    expect(out.match(/✓ .* to ~\S+/g)).toEqual([
      '✓ Claude Code: instructions added to ~/.claude/CLAUDE.md',
      '✓ Gemini CLI: hooks added to ~/.gemini/settings.json',
      '✓ Gemini CLI: permissions added to ~/.gemini/policies/svc.toml',
    ]);
    await expect(read(SETTINGS)).rejects.toThrow('ENOENT');
  });

  test('means the assistants by all, and offers nothing that is there or was asked for', async () => {
    await scratch.put('home/.codex/config.toml', '');
    const { out } = await inTerminal([], 'all');
    expect(out).toContain('✓ Codex: added to ~/.codex/config.toml');
    expect(out).not.toContain('hooks');
    await run(['codex', '--instructions']);
    expect((await inTerminal([], '')).error).not.toContain('Instructions:');
    expect((await inTerminal(['--hooks'], '')).error).not.toContain('Hooks:');
  });

  test.each([
    [['--yes'], {}],
    [['--remove'], { answers: ['all'] }],
    [['--dry-run'], { answers: [] }],
    [['codex'], { answers: [] }],
    [['--profile', 'work', '--instructions'], { answers: [''], profile: 'work' }],
  ])('offers no hooks with %j', async (argv, options) => {
    await scratch.put('home/.codex/config.toml', '');
    const { out, error } = await run(argv, {
      ...options,
      environment: { ...scratch.environment, env: { INK_SCREEN_READER: '1' } },
    });
    expect(out + error).not.toMatch(/hooks/i);
  });
});
