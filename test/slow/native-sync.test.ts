import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { nativeFolder } from '../../src/cli/sync/native-folder.ts';
import { createClient } from '../../src/client/client.ts';
import { assistantHarness } from '../helpers/assistants/assistant-harness.ts';
import { createHome, storeKey } from '../helpers/assistants/real-assistants.ts';
import { runTurn } from '../helpers/assistants/turns.ts';
import { BIN } from '../helpers/process.ts';

/** Two machines with the real Claude Code and the real `svc sync --native`. */

const harness = assistantHarness([]);
type Machine = Awaited<ReturnType<typeof createHome>>;

async function checkOut({ cwd }: Machine): Promise<void> {
  await mkdir(join(cwd, '.git'), { recursive: true });
  await execa('git', ['init', '--quiet', cwd]);
  await execa('git', ['-C', cwd, 'remote', 'add', 'origin', 'https://github.com/acme/tea.git']);
}

async function sync({ cwd, home, env }: Machine): Promise<string> {
  const words = ['sync', '--native', 'claude-code', '--once'];
  return (await execa(BIN, words, { cwd, extendEnv: false, env: { HOME: home, ...env } })).stdout;
}

test('claude-code on one machine reads what it noted on another', async () => {
  const { home: first, daemon, apiKey, model } = harness;
  await checkOut(first);
  const folder = await nativeFolder(first.cwd, first);
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
  expect(await sync(first)).toContain('sent 2 new');

  const second = await createHome();
  try {
    await storeKey(second, daemon.url, apiKey);
    await checkOut(second);
    expect(await sync(second)).toContain('received 2 new');
    const before = model.requests.length;
    await runTurn('claude-code', second, model.url, { prompt: 'What about the kettle?' });
    const read = model.requests.slice(before).map(({ text }) => text);
    expect(read.join('\n')).toContain('- [Kettle](kettle.md) — boils over');
    expect(await readFile(join(await nativeFolder(second.cwd, second), 'kettle.md'), 'utf8')).toBe(written);
  } finally {
    await second.remove();
  }
  const client = createClient({ baseUrl: daemon.url, apiKey });
  const { results } = await client.search({ query: 'What boils over?', project: 'github.com/acme/tea' });
  expect(results[0]).toMatchObject({ type: 'memory', origin: 'assistant', project: 'github.com/acme/tea' });
});
