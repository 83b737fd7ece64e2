import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { installMcpTools, mcpTool } from '../helpers/mcp-tools.ts';

const TIMEOUT_MS = 300_000;

/** The scenarios of each revision that do not need the suite's own fixture tools. */
const LISTS = ['tools-list', 'resources-list', 'prompts-list'];
const SCENARIOS: Record<string, string[]> = {
  '2026-07-28': [
    ...['server-stateless', 'http-header-validation', 'dns-rebinding-protection', 'caching', ...LISTS],
    'sep-2164-resource-not-found',
  ],
  '2025-11-25': ['server-initialize', 'ping', 'dns-rebinding-protection', ...LISTS],
};

/** Checks that fail without the suite's own fixture tools. The list is exact: a check that starts to pass must be removed. */
const NOT_TESTABLE: Record<string, string[]> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability', // needs the tool test_missing_capability
    'sep-2575-missing-capability-http-400', // the same
    'sep-2575-http-server-no-independent-requests-on-stream', // needs the tool test_streaming_elicitation
    'sep-2575-server-no-log-without-loglevel', // needs the tool test_logging_tool
  ],
};

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

let daemon: TestDaemon;
let folder: string;

beforeAll(async () => {
  await installMcpTools();
  daemon = await startTestDaemon();
  folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
}, 600_000);

afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

function run(command: Parameters<typeof mcpTool>[0], args: string[]): Promise<Run> {
  const { file, env } = mcpTool(command);
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env, timeout: TIMEOUT_MS, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
  });
}

/** Starts a proxy to the daemon that adds the key to each request, which the conformance suite cannot do. */
async function startKeyProxy(apiKey: string): Promise<{ url: string; close(): void }> {
  const target = new URL(daemon.baseUrl);
  const proxy = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${apiKey}` };
    const { method, url: path } = request;
    const forward = http.request({ host: target.hostname, port: target.port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forward.on('error', () => response.destroy());
    response.on('close', () => forward.destroy());
    request.pipe(forward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/mcp`, close: () => proxy.close() };
}

async function checksOf(output: string): Promise<Check[]> {
  const [results] = await readdir(output);
  return JSON.parse(await readFile(join(output, results ?? '', 'checks.json'), 'utf8'));
}

describe.each(Object.entries(SCENARIOS))('conformance with %s', (revision, scenarios) => {
  test.each(scenarios)('%s', { timeout: TIMEOUT_MS }, async (scenario) => {
    const { apiKey } = await makeTenant(daemon, `${scenario}-${revision}@example.com`);
    const proxy = await startKeyProxy(apiKey);
    const output = join(folder, `${scenario}-${revision}`);
    const what = ['--url', proxy.url, '--scenario', scenario, '--spec-version', revision, '-o', output];
    const { stdout, stderr } = await run('conformance', ['server', ...what]);
    proxy.close();
    const checks = await checksOf(output).catch(() => expect.fail(`no results:\n${stdout}\n${stderr}`));
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
    expect(failed.map(({ id }) => id).sort(), JSON.stringify(failed, null, 1)).toEqual(
      [...(NOT_TESTABLE[scenario] ?? [])].sort(),
    );
  });
});

describe.each(['modern', 'legacy'])('the inspector in the %s era', (era) => {
  async function inspect(...args: string[]): Promise<Run> {
    const { apiKey } = await makeTenant(daemon, `inspector-${era}@example.com`);
    const header = `Authorization: Bearer ${apiKey}`;
    const where = [`${daemon.baseUrl}/v1/mcp`, '--transport', 'http', '--header', header, '--protocol-era', era];
    return run('mcp-inspector', ['--cli', ...where, ...args]);
  }

  test('reports no errors in the tools’ schemas', { timeout: TIMEOUT_MS }, async () => {
    const { code, stdout, stderr } = await inspect('--method', 'tools/list', '--strict');
    expect([code, stderr.match(/^(Warning|Error): .*/gm)]).toEqual([0, null]);
    expect(JSON.parse(stdout).tools).toHaveLength(9);
  });

  test('calls a tool', { timeout: TIMEOUT_MS }, async () => {
    const { code, stdout, stderr } = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'memory_add', '--tool-arg', 'content=Looked at closely'],
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: expect.stringContaining('Looked at closely') }] });
  });

  test('reads a resource and gets a prompt', { timeout: TIMEOUT_MS }, async () => {
    const resource = await inspect('--method', 'resources/read', '--uri', 'memory://profile');
    expect(resource.code, resource.stderr).toBe(0);
    expect(JSON.parse(resource.stdout).contents[0].text).toContain('# What is remembered');
    const prompt = await inspect('--method', 'prompts/get', '--prompt-name', 'recall', '--prompt-args', 'about=tea');
    expect(prompt.code, prompt.stderr).toBe(0);
    expect(JSON.parse(prompt.stdout).messages[0].content.text).toContain('work on this: tea');
  });
});
