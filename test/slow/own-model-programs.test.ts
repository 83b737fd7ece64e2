import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { Suggestion } from '../../src/contract/suggestions.ts';
import { assistantHarness } from '../helpers/assistants/assistant-harness.ts';
import { assistantCommand } from '../helpers/assistants/real-assistants.ts';
import { BIN, callAt } from '../helpers/process.ts';

/** Real assistants tidy and extract memories with a scripted model, started by `svc tidy --with` and `svc extract --with`. */

interface Tidier {
  name: string;
  /** What its owner has in the home folder: the model, a hook of every kind that is known, and another MCP server. */
  files: (modelUrl: string, hook: string, server: string) => Record<string, string>;
  env: (modelUrl: string) => Record<string, string>;
  /** Tools besides the two that cannot be taken from it; they read and change nothing. */
  harmless?: string[];
}

const TWINS = ['Ada keeps her bicycle in the cellar', 'The bicycle of Ada is in the cellar'];

const hooks = (event: string, command: string) => ({ [event]: [{ hooks: [{ type: 'command', command }] }] });
const node = (server: string) => ({ command: process.execPath, args: ['-e', server] });

const TIDIERS: Tidier[] = [
  {
    name: 'claude',
    files: (_, hook, server) => ({
      '.claude/settings.json': JSON.stringify({
        hooks: { ...hooks('UserPromptSubmit', hook), ...hooks('Stop', hook) },
      }),
      '.claude.json': JSON.stringify({ mcpServers: { other: { type: 'stdio', ...node(server) } } }),
    }),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'any-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
  },
  {
    name: 'codex',
    files: (url, hook, server) => ({
      '.codex/config.toml': [
        'model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"',
        `base_url = "${url}/v1"\nwire_api = "responses"`,
        `[mcp_servers."other server"]\ncommand = ${JSON.stringify(process.execPath)}`,
        `args = ${JSON.stringify(['-e', server])}\n`,
      ].join('\n'),
      '.codex/hooks.json': JSON.stringify({ hooks: hooks('UserPromptSubmit', hook) }),
    }),
    env: () => ({}),
    harmless: ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource', 'request_user_input'],
  },
  {
    name: 'gemini',
    files: (_, hook, server) => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        model: { name: 'scripted' },
        hooks: hooks('BeforeAgent', hook),
        mcpServers: { other: node(server) },
      }),
    }),
    env: (url) => ({ GEMINI_API_KEY: 'any-key', GOOGLE_GEMINI_BASE_URL: url }),
  },
  {
    name: 'opencode',
    files: (url, hook) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: 'scripted/model',
        small_model: 'scripted/model',
        permission: { '*': 'allow' },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'any-key' },
            models: { model: {} },
          },
        },
      }),
      '.config/opencode/plugins/hook.js': `import { execSync } from 'node:child_process';
export const Hook = async () => { execSync(${JSON.stringify(hook)}); return {}; };\n`,
    }),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  },
  {
    name: 'qwen',
    files: (_, hook, server) => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false },
        hooks: hooks('UserPromptSubmit', hook),
        mcpServers: { other: node(server) },
      }),
    }),
    env: (url) => ({ OPENAI_API_KEY: 'any-key', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'model' }),
  },
];

/** Longer than assistants wait by themselves for the tools of a server, which starts late on a busy machine. */
const LATE = "if (process.argv.includes('mcp')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000);";

const harness = assistantHarness(TWINS);

/** Runs `svc tidy --with` or `svc extract --with` as a person does, with the assistant on the `PATH`. */
async function run(command: 'tidy' | 'extract', { name, files, env }: Tidier) {
  const { home, model } = harness;
  const touched = ['hooked', 'served'].map((file) => join(home.home, file));
  const server = `require('node:fs').writeFileSync(${JSON.stringify(touched[1])}, '')`;
  for (const [path, text] of Object.entries(files(model.url, `touch ${touched[0]}`, server))) {
    await mkdir(dirname(join(home.home, path)), { recursive: true });
    await writeFile(join(home.home, path), text);
  }
  const late = join(home.home, 'late.mjs');
  await writeFile(late, LATE);
  const bin = join(home.home, 'bin');
  await mkdir(bin, { recursive: true });
  await symlink(assistantCommand(name), join(bin, name));
  const ran = await execa(BIN, [command, '--with', name], {
    cwd: home.cwd,
    extendEnv: false,
    env: {
      ...{ PATH: `${bin}:${home.env.PATH}`, HOME: home.home, SVC_CONFIG_DIR: home.env.SVC_CONFIG_DIR ?? '' },
      ...(command === 'tidy' && { NODE_OPTIONS: `--import=${late}` }),
      ...env(model.url),
    },
    stdin: 'ignore',
    reject: false,
    timeout: 120_000,
  });
  const started = await Promise.all(
    touched.map((path) =>
      access(path).then(
        () => path,
        () => undefined,
      ),
    ),
  );
  return { ...ran, started: started.filter((path) => path !== undefined) };
}

async function suggestions(): Promise<Suggestion[]> {
  const { body } = await callAt(harness.daemon.url, harness.apiKey, '/v1/suggestions?state=open&by=assistant');
  return body.data as Suggestion[];
}

async function script(): Promise<void> {
  const { body } = await callAt(harness.daemon.url, harness.apiKey, '/v1/memories?limit=10');
  const evidence = (body.data as { id: string; content: string }[]).map(({ id, content }) => ({ id, text: content }));
  const memoryIds = evidence.map(({ id }) => id);
  // The rules find that they say the same, sooner or later.
  const suggestion = { kind: 'contradiction', memoryIds, evidence, reason: 'Only one can hold.' };
  harness.model.answers(
    { tool: 'suggestions_list', input: {} },
    { tool: 'suggestions_propose', input: { suggestions: [suggestion] } },
    { text: 'One change.' },
  );
}

describe.each(TIDIERS)('svc tidy --with $name', (tidier) => {
  test('suggests with the two tools alone, however late they come, and nothing of the session is stored', async () => {
    await script();
    const before = harness.model.requests.length;
    const { exitCode, stdout, stderr, started } = await run('tidy', tidier);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('1 portion read, 1 change proposed');
    expect(stdout).toContain('1 suggestion is new');
    expect(await suggestions()).toMatchObject([{ kind: 'contradiction', by: 'assistant', byName: expect.any(String) }]);
    expect(await harness.stored()).toEqual([]);
    expect(started).toEqual([]);
    const [first, second] = harness.model.requests.slice(before).filter(({ tools }) => tools.length > 0);
    const names = first!.tools.map(({ name }) => name).filter((name) => !tidier.harmless?.includes(name));
    expect(names.map((name) => name.replace(/^.*(?=suggestions_)/, '')).sort()).toEqual([
      'suggestions_list',
      'suggestions_propose',
    ]);
    for (const content of TWINS) expect(second!.text).toContain(content);
  });
});

/** What `messages_list` answers. */
async function portionToRead(): Promise<string> {
  const params = { name: 'messages_list', arguments: {} };
  const { body } = await callAt(harness.daemon.url, harness.apiKey, '/v1/mcp?tools=extract', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: { accept: 'application/json, text/event-stream' },
  });
  return /This is portion ([\w.-]+)/.exec(JSON.stringify(body))![1]!;
}

test('svc extract --with claude stores with the two tools alone, and nothing of the session is stored', async () => {
  const content = 'Papa drove trams in Rosario.';
  const call = (path: string, body: object) => callAt(harness.daemon.url, harness.apiKey, path, { body });
  const { id } = (await call('/v1/conversations', {})).body as { id: string };
  await call(`/v1/conversations/${id}/messages`, { messages: [{ role: 'user', content }] });
  const before = harness.model.requests.length;
  harness.model.answers(
    { tool: 'messages_list', input: {} },
    {
      tool: 'memories_store',
      input: { portion: await portionToRead(), memories: [{ content, messages: [1], tags: ['father', 'job'] }] },
    },
    { text: 'One memory.' },
  );
  const { exitCode, stdout, stderr, started } = await run('extract', TIDIERS[0]!);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/1 portion read, 1 memory found.*\n1 memory is new:\n\w+ {2}Papa drove trams in Rosario\./);
  const { body } = await callAt(harness.daemon.url, harness.apiKey, '/v1/memories?limit=10');
  expect(body.data).toContainEqual(expect.objectContaining({ content, tags: ['father', 'job'], origin: 'extraction' }));
  expect(await harness.stored()).toEqual([[`user: ${content}`]]);
  expect(started).toEqual([]);
  const [first, second] = harness.model.requests.slice(before).filter(({ tools }) => tools.length > 0);
  const names = first!.tools.map(({ name }) => name).sort();
  expect(names).toEqual(['mcp__svc__memories_store', 'mcp__svc__messages_list']);
  expect(second!.text).toContain(content);
});
