import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeBundle } from '../../scripts/release/bundle.ts';
import { connectDevice } from '../features/connections/device.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { commandsOf, installPackages } from '../helpers/npm-packages.ts';

interface Manifest {
  version: string;
  server: { entry_point: string; mcp_config: { command: string; args: string[]; env: Record<string, string> } };
  user_config: Record<string, { required?: boolean; sensitive?: boolean; default?: string }>;
  tools: { name: string }[];
}

let daemon: TestDaemon;
let folder: string;
let bundle: string;
let unpacked: string;
let manifest: Manifest;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  daemon = await startTestDaemon();
  folder = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  bundle = await writeBundle(join(folder, 'release'));
  unpacked = join(folder, 'un packed');
  await installPackages('mcpb', ['@anthropic-ai/mcpb@2.1.2']);
  await mcpb('unpack', bundle, unpacked);
  manifest = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

/** Anthropic's program for bundles. */
const mcpb = (...words: string[]) => execa(join(commandsOf('mcpb'), 'mcpb'), words, { all: true, reject: false });

/** The command of the manifest, with what a person entered, as an assistant builds it. */
function commandOf(entered: Record<string, string>) {
  const { command, args, env } = manifest.server.mcp_config;
  const filled = (text: string) =>
    text
      .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, name: string) => entered[name]!)
      .replaceAll(/\$\{__dirname\}/g, () => unpacked);
  return {
    command: command === 'node' ? process.execPath : command,
    args: args.map(filled),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
  };
}

async function connect(entered: Record<string, string>, era: 'legacy' | 'modern' = 'legacy'): Promise<Client> {
  const { env, ...program } = commandOf(entered);
  const own = { HOME: folder, SVC_CONFIG_DIR: join(folder, 'settings'), PATH: '' };
  const transport = new StdioClientTransport({ ...program, env: { ...env, ...own }, cwd: folder, stderr: 'pipe' });
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'claude-ai', version: '0.1.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

async function textOf(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return { text: content[0]?.type === 'text' ? content[0].text : '', isError: isError === true };
}

describe('svc.mcpb', () => {
  test('has a manifest that mcpb accepts, which asks for the address and, as a secret, the key', async () => {
    const valid = await mcpb('validate', join(unpacked, 'manifest.json'));
    expect([valid.exitCode, valid.all]).toEqual([0, expect.stringContaining('validation passes')]);
    const extended = join(folder, 'manifest.json');
    await writeFile(extended, JSON.stringify({ ...manifest, unknown: true }));
    expect(await mcpb('validate', extended)).toMatchObject({
      exitCode: 1,
      all: expect.stringMatching(/unrecognized key.*unknown/i),
    });
    expect(manifest.user_config).toMatchObject({
      url: { required: true, default: 'http://127.0.0.1:8787' },
      key: { required: true, sensitive: true },
    });
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(manifest.version).toBe(version);
  });

  test('holds the bridge in one file and its licenses, nothing native and no path of where it was built', async () => {
    const files = await readdir(unpacked, { recursive: true });
    expect(files.sort()).toEqual(['LICENSE', 'licenses.txt', 'manifest.json', 'server', 'server/main.mjs']);
    const program = await readFile(join(unpacked, manifest.server.entry_point), 'utf8');
    expect(program).not.toContain(process.cwd());
    expect(program.length).toBeLessThan(600_000);
    for (const [, needed] of program.matchAll(/^import .* from ?["']([^"']+)["']/gm))
      expect(needed).toMatch(/^node:|^\w+$/);
    expect(await readFile(join(unpacked, 'licenses.txt'), 'utf8')).toMatch(/\ncommander /);
  });

  test('is the same for the same source, with the checksum beside it and in the entry for the registry', async () => {
    const bytes = await readFile(bundle);
    const again = await writeBundle(join(folder, 'again'));
    expect(bytes.equals(await readFile(again))).toBe(true);
    const checksum = createHash('sha256').update(bytes).digest('hex');
    expect(await readFile(`${bundle}.sha256`, 'utf8')).toBe(`${checksum}  svc.mcpb\n`);
    const { packages } = JSON.parse(await readFile(join(folder, 'release/server.json'), 'utf8'));
    expect(packages.map(({ registryType }: { registryType: string }) => registryType)).toEqual(['npm', 'oci', 'mcpb']);
    expect(packages[2]).toEqual({
      ...{ registryType: 'mcpb', fileSha256: checksum, transport: { type: 'stdio' } },
      identifier: `https://github.com/svc-memory/svc/releases/download/v${manifest.version}/svc.mcpb`,
    });
  });

  test.each(['legacy', 'modern'] as const)(
    'stores and finds a memory from the unpacked folder, in the %s era',
    async (era) => {
      const { apiKey } = await daemon.signIn(`bundle-${era}@example.com`);
      const client = await connect({ url: daemon.baseUrl, key: apiKey }, era);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
      await textOf(client, 'memory_add', { content: 'Ada prefers oolong' });
      expect((await textOf(client, 'memory_search', { query: 'oolong' })).text).toContain('Ada prefers oolong');
    },
  );

  test('takes the token of a device in place of the key', async () => {
    const { apiKey } = await daemon.signIn('bundle-device@example.com');
    const client = await connect({ url: daemon.baseUrl, key: await connectDevice(daemon, apiKey) });
    expect((await textOf(client, 'memory_list', {})).text).toBe('No memories.');
  });

  test.each([
    [
      'an address at which nothing listens',
      'http://127.0.0.1:9',
      `svc_live_${'0'.repeat(32)}`,
      'No svc daemon responds',
    ],
    ['something that is no address', 'not an address', `svc_live_${'0'.repeat(32)}`, 'is not a daemon address'],
    ['something that is no key', 'http://127.0.0.1:9', 'hello', 'is not an svc key'],
  ])('stays up and says so in the answer, given %s', async (_, url, key, message) => {
    const client = await connect({ url, key });
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const { text: answer, isError } = await textOf(client, 'memory_search', { query: 'tea' });
    expect([isError, answer]).toEqual([true, expect.stringContaining(message)]);
    expect(answer).not.toContain('0'.repeat(32));
  });

  test.each(['the end of its input', 'SIGTERM'])('ends with code 0 at %s', async (what) => {
    const { command, args, env } = commandOf({ url: 'http://127.0.0.1:9', key: `svc_live_${'0'.repeat(32)}` });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    const own = { SVC_CONFIG_DIR: join(folder, 'settings'), HOME: folder };
    const program = execa(command, args, { env: { ...env, ...own }, extendEnv: false, reject: false, timeout: 20_000 });
    program.stdin.write(ping);
    await new Promise((resolve) => program.stdout.once('data', resolve));
    if (what === 'SIGTERM') program.kill('SIGTERM');
    else program.stdin.end();
    const { exitCode, timedOut } = await program;
    expect([exitCode, timedOut]).toEqual([0, false]);
  });
});
