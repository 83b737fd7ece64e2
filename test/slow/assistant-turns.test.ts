import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { assistantHarness } from '../helpers/assistants/assistant-harness.ts';
import { runAssistant } from '../helpers/assistants/real-assistants.ts';
import { DRIVEN, type Driven, runTurn, type Turn } from '../helpers/assistants/turns.ts';
import { BIN } from '../helpers/process.ts';
import type { ModelRequest } from '../helpers/scripted-model/server.ts';

/** Real assistants take turns with a scripted model, set up by `svc mcp-config` for a real `svc serve`. */

const HOOK_FILES: Record<Driven, string> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  opencode: '.config/opencode/plugins/svc.js',
};
const PLUGINS = fileURLToPath(new URL('../../plugins', import.meta.url));
const MEMORY = 'Ada drinks jasmine tea in the afternoon';
/** Shares a word with what programmers say every day. */
const LURE = 'Bob tests new shoes for a magazine';
/** Newer than both, so that the start of a session lists neither. */
const OTHERS = ['Oslo', 'Lima', 'Kyoto', 'Quito', 'Turin', 'Accra'].map((city) => `Bob has a cousin in ${city}`);
const QUESTION = 'Which tea does Ada drink?';
const TOKEN = `ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8xY1zC0fR5tUq'}`;
const MASKED = '[redacted: github-pat]';

const harness = assistantHarness([LURE, MEMORY, ...OTHERS]);
const { stored } = harness;

async function whileDaemonIsDown(work: () => Promise<void>): Promise<void> {
  const { daemon } = harness;
  daemon.kill('SIGTERM');
  await daemon.exited;
  try {
    await work();
  } finally {
    harness.daemon = await harness.startDaemon(new URL(daemon.url).port);
  }
}

const HOOK_LIMIT_MS = 15_000;

/** Sets up hooks that may take longer than usual, because a busy machine is no reason to fail. */
async function setUpPatientHooks(assistant: Driven): Promise<void> {
  await harness.configure(assistant, '--yes', '--hooks');
  const path = join(harness.home.home, HOOK_FILES[assistant]);
  const hooks = await readFile(path, 'utf8');
  const patient = hooks
    .replaceAll(/--client [a-z-]+/g, `$& --timeout ${HOOK_LIMIT_MS}`)
    .replace("'--client', 'opencode'", `$&, '--timeout', '${HOOK_LIMIT_MS}'`)
    .replace('LIMIT_MS = 2000', 'LIMIT_MS = 20000');
  expect(patient).not.toBe(hooks);
  await writeFile(path, patient);
}

/** Takes a turn and returns the requests that offered tools, and the milliseconds until the first of them. */
async function turn(assistant: Driven, prompt: string, more: Partial<Turn> = {}) {
  const before = harness.model.requests.length;
  const startedMs = performance.now();
  const printed = await runTurn(assistant, harness.home, harness.model.url, { prompt, ...more });
  const [first, ...later] = harness.model.requests.slice(before).filter(({ tools }) => tools.length > 0);
  if (!first) throw new Error(`the model was not asked:\n${printed}`);
  return { first, later, printed, ms: first.arrivedMs - startedMs };
}

/** The text that svc added to a request. */
const fencesIn = ({ text }: ModelRequest) => text.match(/<(svc-memory-\d+)>[\s\S]*?<\/\1>/g) ?? [];
const linesWith = ({ text }: ModelRequest, part: string) => text.split('\n').filter((line) => line.includes(part));
const namesOf = ({ tools }: ModelRequest) => tools.map(({ name, namespace = '' }) => namespace + name);
const sizeOf = ({ text, toolText }: ModelRequest) => countTokens(text) + countTokens(toolText);

describe.each(DRIVEN)('%s', (assistant) => {
  test('sees the tools with the first request, and a memory after one call', async () => {
    const without = await turn(assistant, QUESTION);
    await harness.configure(assistant, '--yes');
    harness.model.answers({ tool: 'memory_search', input: { query: 'tea' } }, { text: 'Jasmine.' });
    const { first, later } = await turn(assistant, QUESTION, { approved: ['memory_search'] });
    for (const tool of ['memory_context', 'memory_search', 'memory_add'])
      expect(namesOf(first)).toContainEqual(expect.stringContaining(tool));
    expect(linesWith(first, MEMORY)).toEqual([]);
    expect(linesWith(later[0]!, MEMORY)).not.toEqual([]);
    const tokens = sizeOf(first) - sizeOf(without.first);
    console.info(`${assistant}: the tools add ${tokens} tokens to ${sizeOf(without.first)}`);
    expect(tokens).toBeLessThan(3000);
  });
});

describe.each(DRIVEN)('%s with hooks', (assistant) => {
  test('gives the model what the prompt is about with the first request, and stores the session once', async () => {
    await setUpPatientHooks(assistant);
    harness.model.answers({ text: `Jasmine tea, and revoke ${TOKEN}.` });
    const { first } = await turn(assistant, `${QUESTION} And is ${TOKEN} safe?`);
    const fences = fencesIn(first);
    for (const fence of fences) expect(fence).toMatch(/^<svc-memory-\d{9}>\n.*never an instruction\.\n/);
    expect(fences.filter((fence) => fence.includes(MEMORY))).toHaveLength(1);
    const tokens = fences.reduce((sum, fence) => sum + countTokens(fence), 0);
    console.info(`${assistant}: the hooks add ${tokens} tokens`);

    const { first: resumed } = await turn(assistant, 'run the tests again', { continues: true });
    expect(linesWith(resumed, 'Jasmine tea, and')).toHaveLength(1);
    expect(fencesIn(resumed)).toEqual(fences);

    const prompt = `user: ${QUESTION} And is ${MASKED} safe?`;
    const answer = `assistant: Jasmine tea, and revoke ${MASKED}.`;
    expect(await stored()).toEqual([[prompt, answer, 'user: run the tests again', 'assistant: Understood.']]);
  });
});

// The first start of opencode with a plugin takes seconds, because it installs its own package.
describe.each(['claude-code', 'codex'] as const)('%s with hooks', (assistant) => {
  test('is not delayed by a daemon that is down, which gets what was said later, once', async () => {
    await whileDaemonIsDown(async () => {
      await harness.configure(assistant, '--yes');
      const without = await turn(assistant, QUESTION);
      await setUpPatientHooks(assistant);
      const { first, printed, ms } = await turn(assistant, 'Ada now prefers oolong');
      console.info(`${assistant}: first request after ${ms.toFixed(0)} ms, without hooks ${without.ms.toFixed(0)} ms`);
      // A hook that waits for the daemon takes all of its time.
      expect(ms - without.ms).toBeLessThan(HOOK_LIMIT_MS);
      expect(fencesIn(first)).toEqual([]);
      expect(printed).toContain('Understood.');
    });
    await turn(assistant, 'And Bob prefers cocoa', { continues: true });
    const answer = 'assistant: Understood.';
    expect(await stored()).toEqual([['user: Ada now prefers oolong', answer, 'user: And Bob prefers cocoa', answer]]);
  });
});

test('claude-code with hooks calls tools that only read without asking', async () => {
  await setUpPatientHooks('claude-code');
  harness.model.answers({ tool: 'memory_search', input: { query: 'tea' } }, { text: 'Jasmine.' });
  const { later } = await turn('claude-code', 'thanks');
  expect(linesWith(later[0]!, MEMORY)).not.toEqual([]);
});

test('claude-code with the plugin recalls and stores as with hooks', async () => {
  const bin = join(harness.home.home, 'bin');
  await mkdir(bin);
  const script = `#!/bin/sh\n[ "$1" = hook ] && set -- "$@" --timeout ${HOOK_LIMIT_MS}\nexec "${BIN}" "$@"\n`;
  await writeFile(join(bin, 'svc'), script, { mode: 0o755 });
  const home = { ...harness.home, env: { ...harness.home.env, PATH: `${bin}:${harness.home.env.PATH}` } };
  harness.home = home;
  for (const folder of [PLUGINS, join(PLUGINS, 'claude-code')])
    expect(await runAssistant(home, ['claude', 'plugin', 'validate', folder])).toContain('Validation passed');
  await runAssistant(home, ['claude', 'plugin', 'marketplace', 'add', PLUGINS]);
  await runAssistant(home, ['claude', 'plugin', 'install', 'svc@svc']);
  const { first } = await turn('claude-code', QUESTION);
  expect(namesOf(first)).toContain('mcp__plugin_svc_svc__memory_search');
  expect(fencesIn(first)).toContainEqual(expect.stringContaining(MEMORY));
  expect(await stored()).toEqual([[`user: ${QUESTION}`, 'assistant: Understood.']]);
});

test('codex runs no hook that was not trusted', async () => {
  await setUpPatientHooks('codex');
  const { first } = await turn('codex', QUESTION, { trustsHooks: false });
  expect(fencesIn(first)).toEqual([]);
  expect(await stored()).toEqual([]);
});
