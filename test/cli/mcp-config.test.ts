import { chmod, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ASSISTANTS } from '../../src/cli/assistants/assistant-table.ts';
import { API_KEY, type RunOptions, runMcpConfig } from './assistants/run-mcp-config.ts';
import { scratchHome } from './assistants/scratch-home.ts';

const scratch = scratchHome();
const run = (argv: string[], options: Partial<RunOptions> = {}) =>
  runMcpConfig(argv, { environment: scratch.environment, ...options });
const read = (path: string) => readFile(join(scratch.folder, path), 'utf8');
const json = async (path: string) => JSON.parse(await read(path));
const install = (...folders: string[]) =>
  Promise.all(folders.map((folder) => mkdir(join(scratch.environment.home, folder), { recursive: true })));

describe('the entry', () => {
  test('is the bridge by default and needs no sign-in, no keychain and no key', async () => {
    const { exitCode, error } = await run(['cursor'], { signedIn: false });
    expect(exitCode).toBe(0);
    expect(error).toContain('Not signed in yet: run svc login.');
    const script = join(scratch.environment.home, 'svc/bin/svc');
    expect(await json('home/.cursor/mcp.json')).toEqual({
      mcpServers: { svc: { command: '/opt/node/bin/node', args: [script, 'mcp'] } },
    });
  });

  test('names svc alone where the search path leads to this program, and to no other', async () => {
    const script = await scratch.put('home/svc/bin/svc', '#!/bin/sh\n', 0o755);
    await mkdir(join(scratch.folder, 'bin'));
    await symlink(script, join(scratch.folder, 'bin/svc'));
    await run(['cursor', 'claude-desktop']);
    expect((await json('home/.cursor/mcp.json')).mcpServers.svc).toEqual({ command: 'svc', args: ['mcp'] });
    const desktop = (await json('home/.config/Claude/claude_desktop_config.json')).mcpServers.svc;
    expect(desktop).toEqual({ command: '/opt/node/bin/node', args: [script, 'mcp'] });
    const elsewhere = { node: '/n', script: await scratch.put('other/svc', '', 0o755) };
    await run(['cursor'], { context: { program: elsewhere } });
    expect((await json('home/.cursor/mcp.json')).mcpServers.svc.command).toBe('/n');
  });

  test('carries the profile and the folder of the settings where they are not the usual ones', async () => {
    const environment = { ...scratch.environment, env: { SVC_CONFIG_DIR: 'conf' } };
    await run(['gemini', '--profile', 'work'], { environment });
    const { args, env } = (await json('home/.gemini/settings.json')).mcpServers.svc;
    expect(args.slice(1)).toEqual(['mcp', '--profile', 'work']);
    expect(env).toEqual({ SVC_CONFIG_DIR: join(scratch.environment.cwd, 'conf') });
    await run(['claude-code', '--scope', 'project'], { environment });
    expect((await json('project/.mcp.json')).mcpServers.svc.env).toBeUndefined();
  });

  test('holds the address and the key where that is asked for, in a file that nobody else reads', async () => {
    const path = await scratch.put('home/.claude.json', '{}');
    const { out, error } = await run(['claude', '--transport', 'http']);
    expect((await json('home/.claude.json')).mcpServers.svc).toEqual({
      type: 'http',
      url: 'http://localhost:8787/v1/mcp',
      headers: { Authorization: `Bearer ${API_KEY}` },
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(out + error).not.toContain(API_KEY);
  });

  test.each([
    ['claude-code', '.claude.json', /Bearer \$\{SVC_API_KEY\}/],
    ['codex', '.codex/config.toml', /bearer_token_env_var = "SVC_API_KEY"/],
    ['cursor', '.cursor/mcp.json', /Bearer \$\{env:SVC_API_KEY\}/],
    ['vscode', '.config/Code/User/mcp.json', /Bearer \$\{input:svc-api-key\}/],
    ['opencode', '.config/opencode/opencode.json', /Bearer \{env:SVC_API_KEY\}/],
    ['continue', '.continue/config.yaml', /Bearer \$\{\{ secrets\.SVC_API_KEY \}\}/],
  ])('of %s can refer to the key in its own way', async (client, path, reference) => {
    expect((await run([client, '--transport', 'http', '--key-from', 'env'])).exitCode).toBe(0);
    const text = await read(`home/${path}`);
    expect(text).toMatch(reference);
    expect(text).not.toContain('svc_live_');
  });

  test('of a project holds no key unless that is asked for by name', async () => {
    await run(['cursor', '--scope', 'project', '--transport', 'http']);
    expect(await read('project/.cursor/mcp.json')).not.toContain('svc_live_');
    await run(['cursor', '--scope', 'project', '--transport', 'http', '--key-from', 'literal']);
    expect(await read('project/.cursor/mcp.json')).toContain(API_KEY);
  });

  test.each(ASSISTANTS.map(({ id, title }) => [title, id]))(
    'of %s is written, found again, and gone without a trace',
    async (_, id) => {
      for (const transport of ASSISTANTS.find((client) => client.id === id)!.http ? ['stdio', 'http'] : ['stdio']) {
        expect((await run([id, '--transport', transport])).exitCode).toBe(0);
        const { data } = JSON.parse((await run(['--list', '--json'])).out);
        const found = data.find(({ client }: { client: string }) => client === id);
        expect(found).toMatchObject({ installed: true });
        expect(found.files[0]).toMatchObject({ scope: 'user', configured: true, transport });
        expect(found.files[0].key).toBe(transport === 'http' ? 'current' : 'none');
        expect((await run([id, '--transport', transport])).out).toContain('set up already');
        await run([id, '--remove']);
        await expect(stat(found.files[0].path)).rejects.toThrow('ENOENT');
      }
    },
  );
});

describe('which assistants', () => {
  test('without a name and with nobody to ask it writes nothing, with --yes it sets up all that are installed', async () => {
    await install('.cursor', '.config/zed');
    const refused = await run([]);
    expect(refused).toMatchObject({ exitCode: 2, error: expect.stringContaining('--yes') });
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
    expect((await run(['--yes'])).out.match(/✓/g)).toHaveLength(2);
    expect(await read('home/.config/zed/settings.json')).toContain('context_servers');
  });

  test('a command on the search path makes one installed, and only what has a file for projects is asked about there', async () => {
    await install('.config/zed');
    await scratch.put('bin/codex', '', 0o755);
    expect((await run(['--yes', '--scope', 'project'])).out).toBe(
      '✓ Codex: added to '.concat(join(scratch.environment.cwd, '.codex/config.toml'), '\n'),
    );
  });

  test('a screen reader and a build machine get numbers instead of a drawing', async () => {
    await install('.cursor', '.config/zed', '.gemini');
    await scratch.put('home/.kiro/settings/mcp.json', '{ oops');
    await run(['cursor']);
    const environment = { ...scratch.environment, env: { INK_SCREEN_READER: '1' } };
    const left = await run([], { environment, answers: [''] });
    expect(left).toMatchObject({ exitCode: 130, error: expect.stringContaining('Nothing was changed.') });
    const { exitCode, out, error } = await run([], { environment, answers: ['7', '2'] });
    expect([exitCode, out]).toEqual([0, '✓ Zed: added to ~/.config/zed/settings.json\n']);
    expect(error).toContain(
      '   Cursor: set up already\n   Kiro: ~/.kiro/settings/mcp.json: line 1, column 3: not valid JSON (invalid symbol)\n1. Gemini CLI: make ~/.gemini/settings.json\n2. Zed: make ~/.config/zed/settings.json\n',
    );
    expect(error).toContain('Please type numbers from 1 to 2.');
    expect(await read('home/.config/zed/settings.json')).toContain('svc');
    await expect(read('home/.gemini/settings.json')).rejects.toThrow('ENOENT');
  });

  test('on a screen the checklist decides', async () => {
    await install('.cursor', '.gemini');
    const { createScreen } = await import('./assistants/fake-screen.ts');
    const screen = createScreen();
    const done = run([], { answers: [], context: { screen } });
    await screen.shows('◯ Cursor');
    await screen.press('a', ' ', '\r');
    expect((await done).out).toBe('✓ Cursor: added to ~/.cursor/mcp.json\n');
    const left = run([], { answers: [], context: { screen: createScreen('\u001b') } });
    expect(await left).toMatchObject({ exitCode: 130, out: '' });
  });

  test.each([
    [['nonsense'], 'svc does not know an assistant called nonsense'],
    [['zed', '--scope', 'project'], 'Zed has no file for a project.'],
    [['junie', '--transport', 'http'], 'Junie starts processes only'],
    [['zed', 'cursor', '--transport', 'http', '--key-from', 'env'], 'Zed reads no variables in its file'],
    [['--list', '--print'], "option '--list' cannot be used with option '--print'"],
    [['cursor', '--transport', 'pigeon'], 'Allowed choices are stdio, http'],
  ])('%j is a wrong command: exit code 2, nothing written', async (argv, reason) => {
    expect(await run(argv)).toMatchObject({ exitCode: 2, error: expect.stringContaining(reason) });
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
  });

  test('an address without a sign-in is exit code 3, nothing written', async () => {
    expect((await run(['cursor', '--transport', 'http'], { signedIn: false })).exitCode).toBe(3);
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
  });

  test('those that cannot have the entry are passed over where nobody named them', async () => {
    await install('.cursor', '.junie');
    const { exitCode, out, error } = await run(['--yes', '--transport', 'http']);
    expect([exitCode, out]).toEqual([0, '✓ Cursor: added to ~/.cursor/mcp.json\n']);
    expect(error).toContain('- Junie starts processes only: leave out --transport http');
  });
});

describe('what is left alone', () => {
  test('a file that cannot be parsed is told of, the others are written, and the exit code is 1', async () => {
    await scratch.put('home/.cursor/mcp.json', '{ oops');
    const { exitCode, out, error } = await run(['cursor', 'gemini']);
    expect(exitCode).toBe(1);
    expect(out).toBe('✓ Gemini CLI: added to ~/.gemini/settings.json\n');
    expect(error).toContain('! Cursor: ~/.cursor/mcp.json: line 1, column 3: not valid JSON');
    expect(await read('home/.cursor/mcp.json')).toBe('{ oops');
  });

  test('one that became unwritable is told of as well', async () => {
    await scratch.put('home/.cursor/mcp.json', '{}');
    await chmod(join(scratch.folder, 'home/.cursor/mcp.json'), 0o444);
    expect(await run(['cursor', '--json'])).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining('is read-only'),
    });
  });
});

describe('looking without writing', () => {
  const OTHERS =
    '{\n  // mine\n  "mcpServers": {\n    "theirs": { "headers": { "Authorization": "Bearer abcdefgh12345678" } }\n  }\n}\n';

  test('--dry-run shows the difference, with keys masked and colors only where wanted', async () => {
    await scratch.put('home/.cursor/mcp.json', OTHERS);
    const plain = await run(['cursor', '--transport', 'http', '--dry-run']);
    expect(plain.out).toBe(
      [
        '--- ~/.cursor/mcp.json',
        '+++ ~/.cursor/mcp.json',
        '@@ -1,6 +1,12 @@',
        ' {',
        '   // mine',
        '   "mcpServers": {',
        '-    "theirs": { "headers": { "Authorization": "Bearer ••••" } }',
        '+    "theirs": { "headers": { "Authorization": "Bearer ••••" } },',
        '+    "svc": {',
        '+      "url": "http://localhost:8787/v1/mcp",',
        '+      "headers": {',
        '+        "Authorization": "Bearer svc_live_…c0de"',
        '+      }',
        '+    }',
        '   }',
        ' }',
        '',
      ].join('\n'),
    );
    expect((await run(['cursor', '--dry-run'], { color: true })).out).toContain('\u001b[32m+    "svc": {\u001b[39m');
    expect(await read('home/.cursor/mcp.json')).toBe(OTHERS);
  });

  test('--print gives the entry alone, with the key only where --show-key asks for it', async () => {
    const { out } = await run(['cursor', '--print', '--transport', 'http']);
    expect(JSON.parse(out).mcpServers.svc.headers.Authorization).toBe('Bearer svc_live_<your key>');
    expect((await run(['cursor', '--print', '--transport', 'http', '--show-key'])).out).toContain(API_KEY);
    expect((await run(['codex', 'goose', '--print'])).out).toMatch(
      /^# ~\/\.codex\/config\.toml\n\[mcp_servers\.svc\]\n[\s\S]*# ~\/\.config\/goose/,
    );
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
  });

  test('--list tells a key that is no longer the current one', async () => {
    await run(['cursor', '--transport', 'http']);
    expect((await run(['--list'])).out).toMatch(
      /✓ Cursor +at http:\/\/localhost:8787\/v1\/mcp, with the current key …c0de/,
    );
    const text = (await read('home/.cursor/mcp.json')).replace(API_KEY, `svc_live_${'b'.repeat(32)}`);
    await scratch.put('home/.cursor/mcp.json', text);
    expect((await run(['--list'])).out).toMatch(/with another key …bbbb/);
    expect((await run(['--list'], { signedIn: false })).out).toMatch(/with another key …bbbb/);
    expect((await run(['--list'])).out).toMatch(/ {2}Goose +not found\n/);
  });
});

test('--remove takes svc out of all that have it, and the files read as before', async () => {
  await install('.config/zed');
  const before = '{\n  "mcpServers": {} // none\n}\n';
  await scratch.put('home/.cursor/mcp.json', before);
  await run(['cursor']);
  expect((await run(['--remove', '--yes'])).out).toMatch(
    /^✓ Cursor: removed from ~\/\.cursor\/mcp\.json \(before: .*backup-2\)\n$/,
  );
  expect(await read('home/.cursor/mcp.json')).toBe(before);
  expect(await run(['--remove', '--yes'])).toMatchObject({ exitCode: 0, out: 'svc stands in none of them.\n' });
  expect((await run(['cursor', '--remove'])).out).toBe('· Cursor: no entry of svc in ~/.cursor/mcp.json\n');
});
