import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleClient } from '../../scripts/client-package.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let folder: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  folder = await mkdtemp(join(tmpdir(), 'svc-client-'));
  await bundleClient(folder);
});

afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

test('plain JavaScript can import the client and use it', async () => {
  const { apiKey } = await makeTenant(daemon, 'library@example.com');
  await writeFile(
    join(folder, 'remember.mjs'),
    `import { ApiError, createClient, UnreachableError } from './entry.js';
    const client = createClient();
    const { id } = await client.memories.create({ content: 'Ada prefers tea' });
    await client.memories.delete(id);
    const missing = await client.memories.get(id).catch((error) => error);
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const away = await nobody.account.get().catch((error) => error);
    console.log(JSON.stringify([missing instanceof ApiError, missing.code, away instanceof UnreachableError]));`,
  );
  const env = { SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey };
  const { stdout } = await execa(process.execPath, ['remember.mjs'], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual([true, 'not_found', true]);
});

test('each entry point is one file that imports its peer alone and runs in browsers', async () => {
  const peers = new Map([
    ['entry.js', []],
    ['ai-sdk.js', ['ai']],
    ['anthropic.js', []],
    ['google-adk.js', []],
    ['langgraph.js', ['@langchain/langgraph-checkpoint']],
    ['llamaindex.js', []],
    ['mastra.js', []],
    ['openai-agents.js', []],
    ['openclaw.js', []],
  ]);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  expect(names.sort()).toEqual([...peers.keys()].sort());
  for (const name of names) {
    const code = await readFile(join(folder, name), 'utf8');
    const imported = new Set([...code.matchAll(/^import [^;]*from "([^"]+)"/gm)].map(([, from]) => from));
    expect([name, [...imported]]).toEqual([name, peers.get(name)]);
    expect(code).not.toMatch(/\bimport\(["'`]|\brequire\(|\bprocess\.|\bBuffer\b/);
    expect(code.length).toBeLessThan(50_000);
  }
});
