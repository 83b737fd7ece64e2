import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { type NativeName, nativeFolder } from '../../src/cli/sync/native-assistants.ts';
import { createClient } from '../../src/client/client.ts';
import { assistantHarness } from '../helpers/assistants/assistant-harness.ts';
import { createHome, runAssistant, storeKey } from '../helpers/assistants/real-assistants.ts';
import { runTurn } from '../helpers/assistants/turns.ts';
import { BIN } from '../helpers/process.ts';

/** Two machines with real assistants and the real `svc sync --native`. */

const harness = assistantHarness([]);
type Machine = Awaited<ReturnType<typeof createHome>>;

async function checkOut({ cwd }: Machine): Promise<void> {
  await mkdir(join(cwd, '.git'), { recursive: true });
  await execa('git', ['init', '--quiet', cwd]);
  await execa('git', ['-C', cwd, 'remote', 'add', 'origin', 'https://github.com/acme/tea.git']);
}

async function sync({ cwd, home, env }: Machine, native: NativeName): Promise<string> {
  const words = ['sync', '--native', native, '--once'];
  return (await execa(BIN, words, { cwd, extendEnv: false, env: { HOME: home, ...env } })).stdout;
}

test('claude-code on one machine reads what it noted on another', async () => {
  const { home: first, daemon, apiKey, model } = harness;
  await checkOut(first);
  const folder = await nativeFolder('claude-code', first.cwd, first);
  const note = '---\nname: kettle\n---\n\nThe kettle boils over\n';
  const write = (name: string, content: string) => ({
    tool: 'Write',
    input: { file_path: join(folder, name), content },
  });
  model.answers(write('kettle.md', note), write('MEMORY.md', '- [Kettle](kettle.md) — boils over\n'), {
    text: 'Noted.',
  });
  await runTurn('claude-code', first, model.url, { prompt: 'Remember that the kettle boils over.' });
  // It adds its own properties.
  const written = await readFile(join(folder, 'kettle.md'), 'utf8');
  expect(written).toContain('The kettle boils over');
  expect(await sync(first, 'claude-code')).toContain('sent 2 new');

  const second = await createHome();
  try {
    await storeKey(second, daemon.url, apiKey);
    await checkOut(second);
    expect(await sync(second, 'claude-code')).toContain('received 2 new');
    const before = model.requests.length;
    await runTurn('claude-code', second, model.url, { prompt: 'What about the kettle?' });
    const read = model.requests.slice(before).map(({ text }) => text);
    expect(read.join('\n')).toContain('- [Kettle](kettle.md) — boils over');
    expect(await readFile(join(await nativeFolder('claude-code', second.cwd, second), 'kettle.md'), 'utf8')).toBe(
      written,
    );
  } finally {
    await second.remove();
  }
  const client = createClient({ baseUrl: daemon.url, apiKey });
  const { results } = await client.search({ query: 'What boils over?', project: 'github.com/acme/tea' });
  expect(results[0]).toMatchObject({ type: 'memory', origin: 'assistant', project: 'github.com/acme/tea' });
});

/** Runs a turn of Gemini CLI, which may do anything. Returns what the model was sent. */
async function askGemini(machine: Machine, prompt: string): Promise<string> {
  const { model } = harness;
  const before = model.requests.length;
  await mkdir(join(machine.home, '.gemini'), { recursive: true });
  const settings = { security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } } };
  await writeFile(join(machine.home, '.gemini/settings.json'), JSON.stringify(settings));
  const command = ['gemini', '--skip-trust', '--approval-mode', 'yolo', '-m', 'scripted', '-p', prompt];
  await runAssistant(machine, command, { GEMINI_API_KEY: 'any-key', GOOGLE_GEMINI_BASE_URL: model.url });
  const asked = model.requests.slice(before);
  return asked.map(({ text }) => text).join('\n');
}

test('gemini on one machine reads what it noted on another', async () => {
  const { home: first, daemon, apiKey, model } = harness;
  await checkOut(first);
  const folder = join(first.home, '.gemini/tmp/project/memory');
  const write = (name: string, content: string) => ({
    tool: 'write_file',
    input: { file_path: join(folder, name), content },
  });
  model.answers(write('kettle.md', 'The kettle boils over\n'), write('MEMORY.md', '- [Kettle](kettle.md)\n'), {
    text: 'Noted.',
  });
  expect(await askGemini(first, 'Remember that the kettle boils over.')).toContain(join(folder, 'MEMORY.md'));
  expect(await nativeFolder('gemini-cli', first.cwd, first)).toBe(folder);
  expect(await sync(first, 'gemini-cli')).toContain('sent 2 new');

  const second = await createHome();
  try {
    await storeKey(second, daemon.url, apiKey);
    await checkOut(second);
    expect(await askGemini(second, 'Hello')).not.toContain('[Kettle]');
    expect(await sync(second, 'gemini-cli')).toContain('received 2 new');
    expect(await askGemini(second, 'What about the kettle?')).toContain('- [Kettle](kettle.md)');
    const received = await nativeFolder('gemini-cli', second.cwd, second);
    expect(await readFile(join(received, 'kettle.md'), 'utf8')).toBe('The kettle boils over\n');
  } finally {
    await second.remove();
  }
});
