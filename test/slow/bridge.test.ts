import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { installMcpTools, mcpTool } from '../helpers/mcp-tools.ts';
import { BIN } from '../helpers/process.ts';

/** Runs the built `svc mcp` against the official SDK and the MCP inspector. */

const ERAS = ['legacy', 'modern'] as const;
/** Each round makes one call after the other, then this many at once. */
const AT_ONCE = 9;
const ROUNDS = 20;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

let daemon: TestDaemon;
let folder: string;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await installMcpTools();
  daemon = await startTestDaemon({ config: { defaultTier: 'Enterprise' } });
  folder = await mkdtemp(join(tmpdir(), 'svc-bridge-slow-'));
}, 600_000);

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = (apiKey: string, url = daemon.baseUrl) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  SVC_CONFIG_DIR: join(folder, 'settings'),
  SVC_URL: url,
  ...(apiKey !== '' && { SVC_API_KEY: apiKey }),
});

async function connect(era: (typeof ERAS)[number], env: Record<string, string>): Promise<Client> {
  const transport = new StdioClientTransport({ command: BIN, args: ['mcp'], env, cwd: folder, stderr: 'pipe' });
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

const start = (apiKey: string, more: { args?: string[]; url?: string } = {}) =>
  execa(BIN, ['mcp', ...(more.args ?? [])], {
    env: environment(apiKey, more.url),
    extendEnv: false,
    reject: false,
    cwd: folder,
  });

describe.each(ERAS)('the official client, %s era', (era) => {
  test('stores and finds a memory', async () => {
    const { apiKey } = await daemon.signIn(`slow-${era}@example.com`);
    const client = await connect(era, environment(apiKey));
    expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(7);
    await client.callTool({ name: 'memory_add', arguments: { content: 'Ada prefers oolong' } });
    const found = await client.callTool({ name: 'memory_search', arguments: { query: 'oolong' } });
    expect(found.content).toMatchObject([{ text: expect.stringContaining('Ada prefers oolong') }]);
  });

  test(`answers each of ${ROUNDS * (1 + AT_ONCE)} calls, alone and at once, with its own result`, async () => {
    const { apiKey } = await daemon.signIn(`many-${era}@example.com`);
    const client = await connect(era, environment(apiKey));
    const known: { lamp: number; id: string }[] = [];
    /** The lamp that the answer is about. */
    const call = async (name: string, args: Record<string, unknown>): Promise<number> => {
      const answer = JSON.stringify((await client.callTool({ name, arguments: args })).content);
      const [, id = '', lamp] = /\[(mem_\w+)\].*?> Ada keeps lamp(\d+)x/.exec(answer) ?? expect.fail(answer);
      if (name === 'memory_add') known.push({ lamp: Number(lamp), id });
      return Number(lamp);
    };
    const add = async (lamp: number) =>
      expect(await call('memory_add', { content: `Ada keeps lamp${lamp}x in the hall` })).toBe(lamp);
    const kinds = [
      add,
      async (_: number, { lamp }: { lamp: number }) =>
        expect(await call('memory_search', { query: `lamp${lamp}x`, limit: 1 })).toBe(lamp),
      async (_: number, { lamp, id }: { lamp: number; id: string }) =>
        expect(await call('memory_get', { id })).toBe(lamp),
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = round * (1 + AT_ONCE);
      await add(first);
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => first + 1 + index);
      await Promise.all(numbers.map((number) => kinds[number % 3]!(number, known[number % known.length]!)));
    }
    const { body } = await daemon.call<{ data: { content: string }[] }>(apiKey, '/v1/memories?limit=200');
    const lamps = body.data.map(({ content }) => Number(/lamp(\d+)x/.exec(content)?.[1]));
    const byNumber = (a: number, b: number) => a - b;
    expect(lamps.sort(byNumber)).toEqual(known.map(({ lamp }) => lamp).sort(byNumber));
  });

  test('lists the tools without a sign-in or a daemon, and a call says what to do', async () => {
    for (const env of [environment(''), environment(`svc_live_${'0'.repeat(32)}`, 'http://127.0.0.1:9')]) {
      const client = await connect(era, env);
      expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(7);
      const answer = await client.callTool({ name: 'memory_list', arguments: {} });
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/svc (login|serve)/) }] });
    }
  });

  test('passes the inspector’s strict checks', { timeout: 300_000 }, async () => {
    const { apiKey } = await daemon.signIn(`inspector-${era}@example.com`);
    const settings = Object.entries(environment(apiKey)).flatMap((pair) => ['-e', pair.join('=')]);
    const options = ['--protocol-era', era, '--method', 'tools/list', '--strict'];
    const { code, stdout, stderr } = await inspect(['--cli', ...settings, process.execPath, BIN, 'mcp', ...options]);
    expect([code, stderr.match(/^(Warning|Error): .*/gm)], stderr).toEqual([0, null]);
    expect(JSON.parse(stdout).tools.length).toBeGreaterThanOrEqual(7);
  });
});

describe('the process', () => {
  test('exits with 0 when its input ends, and writes only protocol to standard output', async () => {
    const { apiKey } = await daemon.signIn('input@example.com');
    const bridge = start(apiKey, { args: ['--debug'] });
    bridge.stdin.end(PING);
    const { exitCode, stdout, stderr } = await bridge;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(stderr).toContain('ping 1: done');
    expect(stdout + stderr).not.toContain('svc_live_');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('exits silently with 0 on %s', async (signal) => {
    const { apiKey } = await daemon.signIn(`${signal}@example.com`);
    const bridge = start(apiKey);
    const answered = new Promise((resolve) => bridge.stdout.once('data', resolve));
    bridge.stdin.write(PING);
    await answered;
    bridge.kill(signal);
    expect(await bridge).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('exits when its output is closed', async () => {
    const { apiKey } = await daemon.signIn('unread@example.com');
    const bridge = start(apiKey);
    bridge.stdout.destroy();
    const pinging = setInterval(() => bridge.stdin.write(PING), 50);
    bridge.stdin.on('error', () => {});
    expect((await bridge).exitCode).toBe(0);
    clearInterval(pinging);
  });
});

function inspect(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { file, env } = mcpTool('mcp-inspector');
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env, timeout: 300_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
  });
}
