import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from '../features/connections/browser.ts';
import { decide, register, signInBrowser, startOAuthDaemon } from '../features/oauth/oauth-flow.ts';
import { assistantCommand, createHome, installAssistants } from '../helpers/assistants/real-assistants.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { freePort } from '../helpers/free-port.ts';
import { installMcpTools, mcpTool } from '../helpers/mcp-tools.ts';

const TIMEOUT_MS = 120_000;
/** The address of the page that asks, in what a program prints. */
const AUTHORIZE = /https?:\/\/\S+\/v1\/oauth\/authorize\?[^\s"'\u001b]+/;

let daemon: TestDaemon;
let browser: Browser;

beforeAll(async () => {
  await installMcpTools();
  await installAssistants();
  daemon = await startOAuthDaemon();
  ({ browser } = await signInBrowser(daemon));
}, 600_000);
afterAll(() => daemon.close());

/** Allows the request of an address as the page does, and goes where the browser goes then. */
async function allow(address: string): Promise<void> {
  const answer = await decide(browser, new URL(address).search.slice(1));
  expect(answer.status, answer.text).toBe(200);
  await fetch(answer.body.redirectTo);
}

/** The names of the clients that are connected. */
async function connected(): Promise<string[]> {
  const { body } = await browser.call<{ data: { kind: string; client: string }[] }>('/v1/connections');
  return body.data.filter(({ kind }) => kind === 'oauth').map(({ client }) => client);
}

test('the conformance suite accepts the authorization server', { timeout: TIMEOUT_MS }, async () => {
  const port = await freePort();
  const clientId = await register(daemon, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const output = await mkdtemp(join(tmpdir(), 'oauth-conformance-'));
  const args = ['--url', daemon.publicUrl, '--client-id', clientId, '--resource', `${daemon.publicUrl}/v1/mcp`];
  const { file, env } = mcpTool('conformance');
  const running = execa(file, ['authorization', ...args, '-p', `${port}`, '-o', output], {
    env,
    cwd: output,
    all: true,
    reject: false,
  });
  let printed = '';
  for await (const line of running.iterable({ from: 'all' })) {
    printed += `${line}\n`;
    const [address] = AUTHORIZE.exec(line) ?? [];
    if (address !== undefined) await allow(address);
  }
  const results = await readdir(output);
  const checks = await Promise.all(
    results.map(async (name) => JSON.parse(await readFile(join(output, name, 'checks.json'), 'utf8'))),
  );
  const statuses = checks.flat().map(({ id, status }: { id: string; status: string }) => `${id}: ${status}`);
  expect(statuses.sort(), printed).toEqual([
    'authorization-code-grant: SUCCESS',
    // Metadata documents of clients are advertised behind https only.
    'authorization-server-metadata-cimd: WARNING',
    'authorization-server-metadata: SUCCESS',
  ]);
  await rm(output, { recursive: true, force: true });
});

describe('an assistant signs in with a browser, and lists the tools', () => {
  /** Runs an assistant whose browser is a file; allows the address that it opens or prints. */
  async function signIn([command = '', ...args]: string[], config: { path: string; text: string }): Promise<string> {
    const home = await createHome();
    const bin = join(home.home, 'bin');
    const opened = join(home.home, 'opened');
    await mkdir(bin);
    for (const name of ['xdg-open', 'open', 'sensible-browser']) {
      await writeFile(join(bin, name), `#!/bin/sh\necho "$1" >> ${opened}\n`);
      await chmod(join(bin, name), 0o755);
    }
    const path = join(home.home, config.path);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, config.text);
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home.home, NO_COLOR: '1', BROWSER: join(bin, 'xdg-open') };
    const running = execa(assistantCommand(command), args, {
      ...{ extendEnv: false, env, cwd: home.cwd, stdin: 'ignore', all: true, reject: false, timeout: 60_000 },
    });
    let printed = '';
    running.all.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
    let address: string | undefined;
    await expect
      .poll(
        async () => {
          const text = `${printed}\n${await readFile(opened, 'utf8').catch(() => '')}`;
          [address] = AUTHORIZE.exec(text) ?? [];
          return address === undefined ? text : 'opened';
        },
        { timeout: 40_000 },
      )
      .toBe('opened');
    await allow(address!);
    await running;
    await home.remove();
    return printed;
  }

  test('codex mcp login', { timeout: TIMEOUT_MS }, async () => {
    const text = `[mcp_servers.svc]\nurl = "${daemon.publicUrl}/v1/mcp"\n`;
    const printed = await signIn(['codex', 'mcp', 'login', 'svc'], { path: '.codex/config.toml', text });
    expect(printed).toContain("Successfully logged in to MCP server 'svc'");
    expect(await connected()).toContain('Codex');
  });

  test('opencode mcp auth', { timeout: TIMEOUT_MS }, async () => {
    const text = JSON.stringify({ mcp: { svc: { type: 'remote', url: `${daemon.publicUrl}/v1/mcp` } } });
    const path = '.config/opencode/opencode.json';
    const printed = await signIn(['opencode', 'mcp', 'auth', 'svc'], { path, text });
    expect(printed).toMatch(/authenticat|success/i);
    expect(await connected()).toContain('OpenCode');
  });
});
