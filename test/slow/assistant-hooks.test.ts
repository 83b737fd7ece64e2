import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { READ_ONLY_TOOLS } from '../../src/cli/assistants/hook-table.ts';
import { assistantHarness } from '../helpers/assistants/assistant-harness.ts';
import { runAssistant } from '../helpers/assistants/real-assistants.ts';
import type { ModelRequest } from '../helpers/scripted-model/server.ts';

/** Real assistants beside Claude Code, Codex and opencode run the hooks that `svc mcp-config` wrote. */

interface Hooked {
  id: string;
  file: string;
  command: (prompt: string) => string[];
  env: (modelUrl: string) => Record<string, string>;
  /** What its owner has in the settings file. */
  settings?: object;
}

const MEMORY = 'Ada drinks jasmine tea in the afternoon';
const QUESTION = 'Which tea does Ada drink?';
const settings = (selectedType: string) => ({
  security: { auth: { selectedType }, folderTrust: { enabled: false } },
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
});

const HOOKED: Hooked[] = [
  {
    id: 'copilot',
    file: '.copilot/hooks/svc.json',
    command: (prompt) => ['copilot', '-p', prompt],
    env: (url) => ({ COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_MODEL: 'model' }),
  },
  {
    id: 'qwen',
    file: '.qwen/settings.json',
    command: (prompt) => ['qwen', '-p', prompt],
    env: (url) => ({ OPENAI_API_KEY: 'any-key', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'model' }),
    settings: settings('openai'),
  },
  {
    id: 'gemini',
    file: '.gemini/settings.json',
    command: (prompt) => ['gemini', '--skip-trust', '-m', 'scripted', '-p', prompt],
    env: (url) => ({ GEMINI_API_KEY: 'any-key', GOOGLE_GEMINI_BASE_URL: url }),
    settings: settings('gemini-api-key'),
  },
];

const harness = assistantHarness([MEMORY]);
const { stored } = harness;

/** Sets up hooks that may take longer than usual, because a busy machine is no reason to fail. */
async function setUp({ id, file, settings }: Hooked): Promise<void> {
  const path = join(harness.home.home, file);
  await mkdir(dirname(path), { recursive: true });
  if (settings) await writeFile(path, JSON.stringify(settings, null, 2));
  await harness.configure(id, '--hooks');
  const hooks = await readFile(path, 'utf8');
  await writeFile(path, hooks.replaceAll(/--client [a-z-]+/g, '$& --timeout 15000'));
}

/** Takes a turn and returns the requests that offered tools. */
async function turn({ command, env }: Hooked, prompt: string): Promise<ModelRequest[]> {
  const before = harness.model.requests.length;
  const printed = await runAssistant(harness.home, command(prompt), {
    ...env(harness.model.url),
    SVC_CONFIG_DIR: harness.home.env.SVC_CONFIG_DIR ?? '',
  });
  const requests = harness.model.requests.slice(before).filter(({ tools }) => tools.length > 0);
  if (requests.length === 0) throw new Error(`the model was not asked:\n${printed}`);
  return requests;
}

describe.each(HOOKED)('$id with hooks', (assistant) => {
  test('gives the model what is remembered with the first request, and stores the turn once', async () => {
    await setUp(assistant);
    harness.model.answers({ text: 'Jasmine.' });
    const [first] = await turn(assistant, QUESTION);
    expect(first?.text.split(MEMORY)).toHaveLength(2);
    expect(first?.text).toMatch(/svc-memory/);
    expect(await stored()).toEqual([[`user: ${QUESTION}`, 'assistant: Jasmine.']]);
  });
});

test('gemini without a terminal has the tools that only read, and not those that need a confirmation', async () => {
  const gemini = HOOKED.find(({ id }) => id === 'gemini')!;
  await setUp(gemini);
  harness.model.answers({ tool: 'memory_search', input: { query: 'jasmine' } }, { text: 'Jasmine.' });
  const [, found] = await turn(gemini, 'thanks');
  expect(found?.text).toContain(MEMORY);
  const names = found?.tools.map(({ name }) => name) ?? [];
  expect(names.filter((name) => name.startsWith('mcp_svc_')).sort()).toEqual(
    READ_ONLY_TOOLS.map((name) => `mcp_svc_${name}`).sort(),
  );
});
