import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLiteralKeys, rewriteLiteralKeys } from '../../../src/cli/assistants/literal-keys.ts';
import { API_KEY, runMcpConfig } from './run-mcp-config.ts';
import { scratchHome } from './scratch-home.ts';

const NEW_KEY = `svc_live_${'d'.repeat(32)}`;
const scratch = scratchHome();
const read = (path: string) => readFile(join(scratch.folder, path), 'utf8');
const setUp = (...argv: string[]) => runMcpConfig(argv, { environment: scratch.environment });

test('a rotated key is found and replaced in every svc entry, and nothing else changes', async () => {
  await scratch.put(
    'home/.codex/config.toml',
    `# ${API_KEY} in a comment\r\n[mcp_servers.mine]\r\nurl = "http://x"\r\n`,
  );
  await scratch.put(
    'home/.cursor/mcp.json',
    `{\n\t"mcpServers": {\n\t\t"mine": { "key": "${API_KEY}" }, // theirs\n\t},\n}`,
  );
  await setUp('codex', 'cursor', 'goose', 'continue', 'vscode', '--transport', 'http');
  await setUp('cursor', '--scope', 'project', '--transport', 'http', '--key-from', 'literal');
  await setUp('gemini', 'claude-code');
  await setUp('kiro', '--transport', 'http', '--key-from', 'env');

  const found = await findLiteralKeys(scratch.environment);
  expect(found.map(({ assistant, scope }) => `${assistant} ${scope}`)).toEqual([
    'codex user',
    'goose user',
    'cursor user',
    'cursor project',
    'vscode user',
    'continue user',
  ]);
  expect(found[0]).toEqual({
    assistant: 'codex',
    title: 'Codex',
    scope: 'user',
    path: join(scratch.environment.home, '.codex/config.toml'),
    last4: 'c0de',
    url: 'http://localhost:8787',
  });

  const before = await Promise.all(found.map(({ path }) => readFile(path, 'utf8')));
  expect((await rewriteLiteralKeys(found, NEW_KEY)).filter(({ error }) => error)).toEqual([]);
  for (const [index, { path }] of found.entries()) {
    const after = await readFile(path, 'utf8');
    const at = before[index]!.lastIndexOf(API_KEY);
    expect(after).toBe(before[index]!.slice(0, at) + NEW_KEY + before[index]!.slice(at + API_KEY.length));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect((await findLiteralKeys(scratch.environment)).map(({ last4 }) => last4)).toEqual(Array(6).fill('dddd'));
  await rewriteLiteralKeys(found, API_KEY);
  expect(await read('home/.codex/config.toml')).toContain(NEW_KEY);
});

test('a file that cannot be changed does not stop the others', async () => {
  await setUp('cursor', 'goose', '--transport', 'http');
  const found = await findLiteralKeys(scratch.environment);
  await scratch.put('home/.config/goose/config.yaml', 'a: [');
  const results = await rewriteLiteralKeys(found, NEW_KEY);
  expect(results.map(({ assistant, error }) => [assistant, error])).toEqual([
    ['goose', expect.stringMatching(/config\.yaml: line \d+, column \d+: not valid YAML/)],
    ['cursor', undefined],
  ]);
  expect(await findLiteralKeys(scratch.environment)).toMatchObject([{ assistant: 'cursor', last4: 'dddd' }]);
});

test('a rotated key is replaced in the arguments of a command, too', async () => {
  const args = ['-y', 'mcp-remote', 'http://localhost:8787/v1/mcp', '--header', `Authorization: Bearer ${API_KEY}`];
  const entry = (words: string[]) => JSON.stringify({ mcpServers: { svc: { command: 'npx', args: words } } }, null, 2);
  await scratch.put('home/.cursor/mcp.json', entry(args));
  const found = await findLiteralKeys(scratch.environment);
  expect(await rewriteLiteralKeys(found, NEW_KEY)).toEqual(found);
  expect(JSON.parse(await read('home/.cursor/mcp.json'))).toEqual(
    JSON.parse(entry(args.map((word) => word.replace(API_KEY, NEW_KEY)))),
  );
});

test('a key is found and replaced beside whole numbers in TOML', async () => {
  const entry = (key: string) =>
    `[mcp_servers.svc]\nurl = "http://localhost:8787/v1/mcp"\nstartup_timeout_sec = 20\n` +
    `http_headers = { Authorization = "Bearer ${key}" }\n`;
  await scratch.put('home/.codex/config.toml', entry(API_KEY));
  const found = await findLiteralKeys(scratch.environment);
  expect(found).toMatchObject([{ assistant: 'codex', last4: API_KEY.slice(-4) }]);
  expect(await rewriteLiteralKeys(found, NEW_KEY)).toEqual(found);
  expect(await read('home/.codex/config.toml')).toBe(entry(NEW_KEY));
});
