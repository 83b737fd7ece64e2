import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { openTerminal, type TestTerminal } from '../helpers/terminal.ts';

/** The built `svc context` before a program that reads a prompt, in a real pseudo-terminal. */

const SVC = fileURLToPath(new URL('../../bin/svc', import.meta.url));
let daemon: TestDaemon;
let apiKey: string;
let folder: string;
let terminal: TestTerminal;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await makeTenant(daemon, 'ana@example.com'));
  const client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  await client.memories.create({ content: 'The basilisk eats at noon' });
});
afterAll(() => daemon.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-terminal-'));
  // Stands for a program with a model: prints the last line of its input, and how many mention the basilisk.
  await writeFile(join(folder, 'llm'), '#!/bin/sh\ncat >got && tail -n 1 got && grep -c basilisk got\n', {
    mode: 0o755,
  });
  const env = { HOME: folder, SVC_CONFIG_DIR: folder, SVC_URL: daemon.baseUrl, SVC_API_KEY: apiKey };
  terminal = await openTerminal({ env, columns: 100 });
  await terminal.type(`cd ${folder}; alias svc='${process.execPath} ${SVC}'; clear\n`);
});
afterEach(async () => {
  await terminal.close();
  await rm(folder, { recursive: true, force: true });
});

test('a prompt at a terminal reaches the program behind the pipe with what is remembered before it', async () => {
  await terminal.type(`svc context 'When is lunch for the basilisk?' --with-prompt | ./llm && echo "code" $?\n`);
  const screen = await terminal.sees('code 0');
  expect(screen).toMatch(/^When is lunch for the basilisk\?\n2\ncode 0$/m);
});

test('the prompt of a pipe is read to its end', async () => {
  await terminal.type(
    `echo 'What does the basilisk do at noon?' | svc context - --with-prompt | ./llm; echo "code" $?\n`,
  );
  expect(await terminal.sees('code 0')).toMatch(/^What does the basilisk do at noon\?\n2\ncode 0$/m);
});
