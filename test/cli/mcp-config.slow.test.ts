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
  test('starts the bridge by default, without a sign-in, keychain or key', async () => {
    const { exitCode, error } = await run(['cursor'], { signedIn: false });
    expect(exitCode).toBe(0);
    expect(error).toContain('Not signed in yet: run svc login.');
    const script = join(scratch.environment.home, 'svc/bin/svc');
    expect(await json('home/.cursor/mcp.json')).toEqual({
      mcpServers: { svc: { command: '/opt/node/bin/node', args: [script, 'mcp'] } },
    });
  });

  test('uses the bare command svc only if it resolves to this program', async () => {
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

  test('contains the profile and the settings folder if they are not the defaults', async () => {
    const environment = { ...scratch.environment, env: { SVC_CONFIG_DIR: 'conf' } };
    await run(['gemini', '--profile', 'work'], { environment });
    const { args, env } = (await json('home/.gemini/settings.json')).mcpServers.svc;
    expect(args.slice(1)).toEqual(['mcp', '--profile', 'work']);
    expect(env).toEqual({ SVC_CONFIG_DIR: join(scratch.environment.cwd, 'conf') });
    await run(['claude-code', '--scope', 'project'], { environment });
    expect((await json('project/.mcp.json')).mcpServers.svc.env).toBeUndefined();
  });

  test('names the space with --space, over stdio and http, and has none with OAuth or hooks', async () => {
    await run(['cursor', '--space', 'Tea room']);
    expect((await json('home/.cursor/mcp.json')).mcpServers.svc.args.slice(1)).toEqual(['mcp', '--space', 'Tea room']);
    await run(['cursor', '--space', 'Tea room', '--transport', 'http']);
    const { url } = (await json('home/.cursor/mcp.json')).mcpServers.svc;
    expect(url).toBe('http://localhost:8787/v1/mcp?space=Tea%20room');
    await run(['cursor']);
    expect((await json('home/.cursor/mcp.json')).mcpServers.svc.args.slice(1)).toEqual(['mcp']);
    await run(['cursor', '--spaces', 'default,team', '--transport', 'http']);
    expect((await json('home/.cursor/mcp.json')).mcpServers.svc.url).toBe(
      'http://localhost:8787/v1/mcp?spaces=default%2Cteam',
    );
    await run(['cursor', '--space', 'team', '--spaces', 'default,team']);
    expect((await json('home/.cursor/mcp.json')).mcpServers.svc.args.slice(1)).toEqual([
      ...['mcp', '--space', 'team', '--spaces', 'default,team'],
    ]);
    const oauth = await run(['cursor', '--space', 'team', '--transport', 'http', '--key-from', 'oauth']);
    expect(oauth).toMatchObject({ exitCode: 2, error: expect.stringContaining('omit --key-from oauth') });
    const hooks = await run(['claude-code', '--space', 'team', '--hooks']);
    expect(hooks).toMatchObject({ exitCode: 2, error: expect.stringContaining('cannot be used with option') });
  });

  test('contains the URL and the key with --transport http, in a file that only its owner can read', async () => {
    const path = await scratch.put('home/.claude.json', '{}');
    const { out, error } = await run(['claude', '--transport', 'http']);
    expect((await json('home/.claude.json')).mcpServers.svc).toEqual({
      type: 'http',
      alwaysLoad: true,
      url: 'http://localhost:8787/v1/mcp',
      headers: { Authorization: `Bearer ${API_KEY}` },
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(out + error).not.toContain(API_KEY);
  });

  test('is the URL alone with --key-from oauth, and replaces one with a key', async () => {
    const url = 'https://memory.example.com';
    const asked: string[] = [];
    const context = {
      session: async () => ({ profileName: 'default', url, apiKey: API_KEY }),
      fetch: async (address: string) => {
        asked.push(address);
        return new Response('{}');
      },
    };
    await run(['claude-code', 'codex', 'opencode', '--transport', 'http'], { context });
    const { exitCode } = await run(['claude-code', 'codex', 'opencode', '--transport', 'http', '--key-from', 'oauth'], {
      context,
    });
    expect(exitCode).toBe(0);
    const address = `${url}/v1/mcp`;
    expect((await json('home/.claude.json')).mcpServers.svc).toEqual({ type: 'http', alwaysLoad: true, url: address });
    expect(await read('home/.codex/config.toml')).toBe(`[mcp_servers.svc]\nurl = "${address}"\n`);
    const opencode = (await json('home/.config/opencode/opencode.json')).mcp.svc;
    expect(opencode).toEqual({ type: 'remote', url: address, enabled: true });
    expect(asked).toEqual([`${url}/.well-known/oauth-authorization-server`]);
  });

  test('is not written with --key-from oauth if the assistant or the daemon cannot do that', async () => {
    const context = (url: string, status: number) => ({
      session: async () => ({ profileName: 'default', url, apiKey: API_KEY }),
      fetch: async () => new Response('{}', { status }),
    });
    const tried = async (id: string, url: string, status: number) => {
      const options = { context: context(url, status) };
      const { exitCode, error } = await run([id, '--transport', 'http', '--key-from', 'oauth'], options);
      expect(exitCode).not.toBe(0);
      return error;
    };
    expect(await tried('cursor', 'http://localhost:8787', 200)).toContain('http://localhost:8787 does not offer OAuth');
    expect(await tried('cursor', 'https://memory.example.com', 404)).toContain('does not offer OAuth');
    expect(await tried('lm-studio', 'https://memory.example.com', 200)).toContain('omit --key-from oauth');
  });

  test.each([
    ['claude-code', '.claude.json', /Bearer \$\{SVC_API_KEY\}/],
    ['codex', '.codex/config.toml', /bearer_token_env_var = "SVC_API_KEY"/],
    ['cursor', '.cursor/mcp.json', /Bearer \$\{env:SVC_API_KEY\}/],
    ['vscode', '.config/Code/User/mcp.json', /Bearer \$\{input:svc-api-key\}/],
    ['opencode', '.config/opencode/opencode.json', /Bearer \{env:SVC_API_KEY\}/],
    ['continue', '.continue/config.yaml', /Bearer \$\{\{ secrets\.SVC_API_KEY \}\}/],
    ['kilo', '.config/kilo/kilo.json', /Bearer \{env:SVC_API_KEY\}/],
    ['qwen', '.qwen/settings.json', /"httpUrl": [\s\S]*Bearer \$\{SVC_API_KEY\}/],
    ['kimi', '.kimi-code/mcp.json', /"transport": "http"[\s\S]*"bearerTokenEnvVar": "SVC_API_KEY"/],
    ['amp', '.config/amp/settings.json', /"amp\.mcpServers": [\s\S]*Bearer \$\{SVC_API_KEY\}/],
    ['grok', '.grok/config.toml', /headers = \{ Authorization = "Bearer \$\{SVC_API_KEY\}" \}/],
    ['openclaw', '.openclaw/openclaw.json', /"transport": "streamable-http"[\s\S]*Bearer \$\{SVC_API_KEY\}/],
  ])('references the key in the syntax of %s', async (id, path, reference) => {
    expect((await run([id, '--transport', 'http', '--key-from', 'env'])).exitCode).toBe(0);
    const text = await read(`home/${path}`);
    expect(text).toMatch(reference);
    expect(text).not.toContain('svc_live_');
  });

  test('in a project file contains the key only with --key-from literal', async () => {
    await run(['cursor', '--scope', 'project', '--transport', 'http']);
    expect(await read('project/.cursor/mcp.json')).not.toContain('svc_live_');
    await run(['cursor', '--scope', 'project', '--transport', 'http', '--key-from', 'literal']);
    expect(await read('project/.cursor/mcp.json')).toContain(API_KEY);
  });

  test.each(ASSISTANTS.map(({ id, title }) => [title, id]))(
    'is written for %s, listed, and removed without a trace',
    async (_, id) => {
      for (const transport of ASSISTANTS.find((assistant) => assistant.id === id)!.http
        ? ['stdio', 'http']
        : ['stdio']) {
        expect((await run([id, '--transport', transport])).exitCode).toBe(0);
        const { data } = JSON.parse((await run(['--list', '--json'])).out);
        const found = data.find(({ client }: { client: string }) => client === id);
        expect(found).toMatchObject({ installed: true });
        expect(found.files[0]).toMatchObject({ scope: 'user', configured: true, transport });
        expect(found.files[0].key).toBe(transport === 'http' ? 'current' : 'none');
        expect((await run([id, '--transport', transport])).out).toContain('already set up');
        await run([id, '--remove']);
        await expect(stat(found.files[0].path)).rejects.toThrow('ENOENT');
      }
    },
  );
});

describe('the file', () => {
  test.each([
    ['copilot', 'COPILOT_HOME', 'mcp-config.json'],
    ['cline', 'CLINE_DIR', 'data/settings/cline_mcp_settings.json'],
    ['kimi', 'KIMI_CODE_HOME', 'mcp.json'],
    ['grok', 'GROK_HOME', 'config.toml'],
    ['openclaw', 'OPENCLAW_STATE_DIR', 'openclaw.json'],
  ])('of %s is in the folder that %s names', async (id, variable, name) => {
    const environment = { ...scratch.environment, env: { [variable]: join(scratch.folder, 'moved') } };
    expect((await run([id], { environment })).exitCode).toBe(0);
    expect(await read(`moved/${name}`)).toContain('svc');
  });

  test('of OpenClaw is the one that OPENCLAW_CONFIG_PATH names', async () => {
    const environment = { ...scratch.environment, env: { OPENCLAW_CONFIG_PATH: join(scratch.folder, 'claw.json') } };
    await run(['openclaw'], { environment });
    expect((await json('claw.json')).mcp.servers.svc.args.at(-1)).toBe('mcp');
  });

  test.each([
    ['copilot', '.github/mcp.json'],
    ['zed', '.zed/settings.json'],
    ['warp', '.warp/.mcp.json'],
    ['junie', '.junie/mcp/mcp.json'],
    ['devin', '.devin/mcp_config.json'],
    ['antigravity', '.agents/mcp_config.json'],
    ['qwen', '.qwen/settings.json'],
    ['kimi', '.kimi-code/mcp.json'],
    ['amp', '.amp/settings.json'],
    ['auggie', '.augment/settings.json'],
    ['kilo', '.kilo/kilo.json'],
  ])('of %s in a project is %s', async (id, path) => {
    expect((await run([id, '--scope', 'project'])).exitCode).toBe(0);
    expect(await read(`project/${path}`)).toContain('"svc"');
    await run([id, '--scope', 'project', '--remove']);
    await expect(read(`project/${path}`)).rejects.toThrow('ENOENT');
  });

  test('of Cline is also written in the storage of VS Code if that exists', async () => {
    await install('.cline', '.config/Code/User/globalStorage/saoudrizwan.claude-dev');
    expect((await run(['--yes'])).out.match(/✓ Cline.*cline_mcp_settings\.json/g)).toHaveLength(2);
  });
});

test('Kiro users are told to approve the variable that holds the key', async () => {
  expect((await run(['kiro', '--transport', 'http', '--key-from', 'env'])).error).toContain(
    'add SVC_API_KEY to kiroAgent.mcpApprovedEnvVars',
  );
  expect((await run(['kiro'])).error).not.toContain('mcpApprovedEnvVars');
});

test('the help names every assistant', async () => {
  const { out } = await run(['--help']);
  const listed = /Assistants: ([^.]*)\./.exec(out)![1]!.split(/,\s+/);
  expect(listed.toSorted()).toEqual(ASSISTANTS.map(({ id }) => id).toSorted());
});

describe('selecting assistants', () => {
  test('without names or a terminal, writes nothing; with --yes, sets up all installed assistants', async () => {
    await install('.cursor', '.config/zed');
    const unattended = await run([]);
    expect(unattended).toMatchObject({ exitCode: 2, error: expect.stringContaining('--yes') });
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
    expect((await run(['--yes'])).out.match(/✓/g)).toHaveLength(2);
    expect(await read('home/.config/zed/settings.json')).toContain('context_servers');
  });

  test('detects an assistant by its command and, with --scope project, skips those without project files', async () => {
    await install('.lmstudio');
    await scratch.put('bin/codex', '', 0o755);
    expect((await run(['--yes', '--scope', 'project'])).out).toBe(
      '✓ Codex: added to '.concat(join(scratch.environment.cwd, '.codex/config.toml'), '\n'),
    );
  });

  test('prompts with a numbered list for screen readers and in CI', async () => {
    await install('.cursor', '.config/zed', '.gemini');
    await scratch.put('home/.kiro/settings/mcp.json', '{ oops');
    await run(['cursor']);
    const environment = { ...scratch.environment, env: { INK_SCREEN_READER: '1' } };
    const canceled = await run([], { environment, answers: [''] });
    expect(canceled).toMatchObject({ exitCode: 130, error: expect.stringContaining('Nothing was changed.') });
    const { exitCode, out, error } = await run([], { environment, answers: ['7', '2'] });
    expect([exitCode, out]).toEqual([0, '✓ Zed: added to ~/.config/zed/settings.json\n']);
    expect(error).toContain(
      '   Cursor: already set up\n   Kiro: ~/.kiro/settings/mcp.json: line 1, column 3: not valid JSON (invalid symbol)\n1. Gemini CLI: create ~/.gemini/settings.json\n2. Zed: create ~/.config/zed/settings.json\n',
    );
    expect(error).toContain('Enter numbers from 1 to 5.');
    expect(await read('home/.config/zed/settings.json')).toContain('svc');
    await expect(read('home/.gemini/settings.json')).rejects.toThrow('ENOENT');
  });

  test('prompts with a checklist in a terminal', async () => {
    await install('.cursor', '.gemini');
    const { createScreen } = await import('./assistants/fake-screen.ts');
    const screen = createScreen();
    const result = run([], { answers: [], context: { screen } });
    await screen.shows('◯ Cursor');
    await screen.press('a', ' ', '\r');
    expect((await result).out).toBe('✓ Cursor: added to ~/.cursor/mcp.json\n');
    const canceled = run([], { answers: [], context: { screen: createScreen('\u001b') } });
    expect(await canceled).toMatchObject({ exitCode: 130, out: '' });
  });

  test.each([
    [['nonsense'], 'Unknown assistant nonsense.'],
    [['windsurf', '--scope', 'project'], 'Windsurf does not support --scope project.'],
    [['junie', '--transport', 'http'], 'Junie supports only stdio servers'],
    [
      ['zed', 'cursor', '--transport', 'http', '--key-from', 'env'],
      'Zed does not expand variables in its configuration',
    ],
    [['--list', '--print'], "option '--list' cannot be used with option '--print'"],
    [['cursor', '--transport', 'pigeon'], 'Allowed choices are stdio, http'],
  ])('%j exits with code 2 and writes nothing', async (argv, reason) => {
    expect(await run(argv)).toMatchObject({ exitCode: 2, error: expect.stringContaining(reason) });
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
  });

  test('--transport http without a sign-in exits with code 3 and writes nothing', async () => {
    expect((await run(['cursor', '--transport', 'http'], { signedIn: false })).exitCode).toBe(3);
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
  });

  test('skips installed assistants that do not support the entry', async () => {
    await install('.cursor', '.junie');
    const { exitCode, out, error } = await run(['--yes', '--transport', 'http']);
    expect([exitCode, out]).toEqual([0, '✓ Cursor: added to ~/.cursor/mcp.json\n']);
    expect(error).toContain('- Junie supports only stdio servers: omit --transport http');
  });
});

describe('files that cannot be changed', () => {
  test('a file that cannot be parsed is reported, the others are written, and the exit code is 1', async () => {
    await scratch.put('home/.cursor/mcp.json', '{ oops');
    const { exitCode, out, error } = await run(['cursor', 'gemini']);
    expect(exitCode).toBe(1);
    expect(out).toBe('✓ Gemini CLI: added to ~/.gemini/settings.json\n');
    expect(error).toContain('! Cursor: ~/.cursor/mcp.json: line 1, column 3: not valid JSON');
    expect(await read('home/.cursor/mcp.json')).toBe('{ oops');
  });

  test('a read-only file is reported', async () => {
    await scratch.put('home/.cursor/mcp.json', '{}');
    await chmod(join(scratch.folder, 'home/.cursor/mcp.json'), 0o444);
    expect(await run(['cursor', '--json'])).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining('is read-only'),
    });
  });
});

describe('read-only modes', () => {
  const OTHERS =
    '{\n  // mine\n  "mcpServers": {\n    "theirs": { "headers": { "Authorization": "Bearer abcdefgh12345678" } }\n  }\n}\n';

  test('--dry-run shows a diff with masked keys, and colors only if enabled', async () => {
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

  test('--print prints only the entry, and the key only with --show-key', async () => {
    const { out } = await run(['cursor', '--print', '--transport', 'http']);
    expect(JSON.parse(out).mcpServers.svc.headers.Authorization).toBe('Bearer svc_live_<your key>');
    expect((await run(['cursor', '--print', '--transport', 'http', '--show-key'])).out).toContain(API_KEY);
    expect((await run(['codex', 'goose', '--print'])).out).toMatch(
      /^# ~\/\.codex\/config\.toml\n\[mcp_servers\.svc\]\n[\s\S]*# ~\/\.config\/goose/,
    );
    await expect(read('home/.cursor/mcp.json')).rejects.toThrow('ENOENT');
  });

  test('--list distinguishes the current key from other keys', async () => {
    await run(['cursor', '--transport', 'http']);
    expect((await run(['--list'])).out).toMatch(
      /✓ Cursor +over HTTP to http:\/\/localhost:8787\/v1\/mcp, with the current key …c0de/,
    );
    const text = (await read('home/.cursor/mcp.json')).replace(API_KEY, `svc_live_${'b'.repeat(32)}`);
    await scratch.put('home/.cursor/mcp.json', text);
    expect((await run(['--list'])).out).toMatch(/with a different key …bbbb/);
    expect((await run(['--list'], { signedIn: false })).out).toMatch(/with a different key …bbbb/);
    expect((await run(['--list'])).out).toMatch(/ {2}Goose +not found\n/);
  });

  test('shows no control characters of files that it did not write', async () => {
    const url = 'http://localhost:8787/\u001b]0;pwned\u0007\u001b[31m';
    await scratch.put('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { svc: { url } }, other: 'x' }));
    const listed = await run(['--list']);
    await scratch.put('home/.cursor/mcp.json', '{\n  // \u001b[31m\u009b\n  "mcpServers": {}\n}\n');
    const changed = await run(['cursor', '--dry-run']);
    expect(changed.out).toContain('+');
    for (const { out, error } of [listed, changed]) expect(out + error).not.toMatch(/[\u0007\u001b\u009b]/);
  });
});

test('--remove removes svc from every assistant and restores the files', async () => {
  await install('.config/zed');
  const before = '{\n  "mcpServers": {} // none\n}\n';
  await scratch.put('home/.cursor/mcp.json', before);
  await run(['cursor']);
  expect((await run(['--remove', '--yes'])).out).toMatch(
    /^✓ Cursor: removed from ~\/\.cursor\/mcp\.json \(backup: .*backup-2\)\n$/,
  );
  expect(await read('home/.cursor/mcp.json')).toBe(before);
  expect(await run(['--remove', '--yes'])).toMatchObject({
    exitCode: 0,
    out: 'svc is not set up in any installed assistant.\n',
  });
  expect((await run(['cursor', '--remove'])).out).toBe('· Cursor: no svc entry in ~/.cursor/mcp.json\n');
});
