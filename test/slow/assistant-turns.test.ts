import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHome, installAssistants, storeKey } from '../helpers/assistants/real-assistants.ts';
import { DRIVEN, type Driven, runTurn, type Turn } from '../helpers/assistants/turns.ts';
import { BIN, callAt, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';
import { type ModelRequest, type ScriptedModel, startScriptedModel } from '../helpers/scripted-model/server.ts';

/** Real assistants take turns with a scripted model, set up by `svc mcp-config` for a real `svc serve`. */

const HOOKED = { 'claude-code': '.claude/settings.json', codex: '.codex/hooks.json' } as const;
const MEMORY = 'Ada drinks jasmine tea in the afternoon';
const QUESTION = 'Which tea does Ada drink?';
const TOKEN = `ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8xY1zC0fR5tUq'}`;

const workplaces = createWorkplaces();
let dataDir: string;
let daemon: DaemonProcess;
let model: ScriptedModel;
let home: Awaited<ReturnType<typeof createHome>>;
let apiKey: string;
let accounts = 0;

beforeAll(async () => {
  await installAssistants();
  dataDir = await workplaces.folder();
  daemon = await startDaemon();
  model = await startScriptedModel();
}, 600_000);

afterAll(async () => {
  await model?.close();
  await workplaces.clean();
});

beforeEach(async () => {
  accounts += 1;
  apiKey = await signInAt(daemon, `user-${accounts}@example.com`);
  home = await createHome();
  await storeKey(home, daemon.url, apiKey);
  model.reset();
  return home.remove;
});

const startDaemon = (port = '0') => workplaces.start({ dataDir, env: { SVC_PORT: port, SVC_DEFAULT_TIER: 'Pro' } });

/** Runs `svc mcp-config` as a user does. */
async function setUp(assistant: Driven, ...options: string[]): Promise<void> {
  await execa(BIN, ['mcp-config', assistant, '--yes', ...options], {
    cwd: home.cwd,
    extendEnv: false,
    env: { HOME: home.home, ...home.env },
  });
}

/** Sets up hooks that may take longer than usual, because a busy machine is no reason to fail. */
async function setUpPatientHooks(assistant: keyof typeof HOOKED): Promise<void> {
  await setUp(assistant, '--hooks');
  const path = join(home.home, HOOKED[assistant]);
  const hooks = await readFile(path, 'utf8');
  await writeFile(path, hooks.replaceAll(/--client [a-z-]+/g, '$& --timeout 15000'));
}

/** Takes a turn and returns the requests that the model got. */
async function turn(assistant: Driven, prompt: string, more: Partial<Turn> = {}): Promise<ModelRequest[]> {
  const before = model.turns.length;
  const printed = await runTurn(assistant, home, model.url, { prompt, ...more });
  const requests = model.turns.slice(before);
  expect(requests.length, printed).toBeGreaterThan(0);
  return requests;
}

const remember = (content: string) => callAt(daemon.url, apiKey, '/v1/memories', { body: { content } });
/** What svc added to a request by itself. */
const fencesIn = ({ text }: ModelRequest) => text.match(/<svc-memory>[\s\S]*?<\/svc-memory>/g) ?? [];
const linesWith = ({ text }: ModelRequest, part: string) => text.split('\n').filter((line) => line.includes(part));
const namesOf = ({ tools }: ModelRequest) => tools.map(({ name, namespace = '' }) => namespace + name);

/** What the account's conversations store, oldest first. */
async function stored(): Promise<string[][]> {
  const { body } = await callAt(daemon.url, apiKey, '/v1/conversations?limit=100');
  return Promise.all(
    (body.data as { id: string }[]).map(async ({ id }) => {
      const path = `/v1/conversations/${id}/messages?order=oldest&limit=100`;
      const { data } = (await callAt(daemon.url, apiKey, path)).body as { data: { role: string; content: string }[] };
      return data.map(({ role, content }) => `${role}: ${content}`);
    }),
  );
}

describe.each(DRIVEN)('%s', (assistant) => {
  test('sees the tools with the first request, and a memory after one call', async () => {
    await remember(MEMORY);
    await setUp(assistant);
    model.answers({ tool: 'memory_search', input: { query: 'tea' } }, { text: 'Jasmine.' });
    const [first, second] = await turn(assistant, QUESTION, { approved: ['memory_search'] });
    for (const tool of ['memory_context', 'memory_search', 'memory_add'])
      expect(namesOf(first!)).toContainEqual(expect.stringContaining(tool));
    expect(linesWith(first!, MEMORY)).toEqual([]);
    expect(linesWith(second!, MEMORY)).not.toEqual([]);
  });
});

describe.each(Object.keys(HOOKED) as (keyof typeof HOOKED)[])('%s with hooks', (assistant) => {
  test('gives the model what is remembered with the first request, once', async () => {
    await remember(MEMORY);
    await setUpPatientHooks(assistant);
    const [first] = await turn(assistant, QUESTION);
    expect(fencesIn(first!)).toEqual([expect.stringMatching(/^<svc-memory>\n.*never an instruction\.\n/)]);
    expect(fencesIn(first!)[0]).toContain(MEMORY);
    const [resumed] = await turn(assistant, `${QUESTION} Think again.`, { continues: true });
    expect(linesWith(resumed!, 'Understood.')).toHaveLength(1);
    expect(fencesIn(resumed!)).toEqual(fencesIn(first!));
  });

  test('stores prompts and answers once, in one conversation, without secrets', async () => {
    await remember(MEMORY);
    await setUpPatientHooks(assistant);
    model.answers({ text: 'Jasmine tea.' }, { text: `Then revoke ${TOKEN}.` });
    await turn(assistant, QUESTION);
    await turn(assistant, `My token is ${TOKEN}, is that safe?`, { continues: true });
    expect(await stored()).toEqual([
      [
        `user: ${QUESTION}`,
        'assistant: Jasmine tea.',
        'user: My token is [redacted: github-pat], is that safe?',
        'assistant: Then revoke [redacted: github-pat].',
      ],
    ]);
  });
});
