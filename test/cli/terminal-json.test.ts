import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '../../src/cli/command-context.ts';
import { createAdminContext } from '../../src/cli/commands/admin-context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

/** Clears a terminal, and reverses the text behind it. */
const HOSTILE = 'tea \u009b2J \u202e\u2066\u200f\u061c\u007f end';
const RAW = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('terminal@example.com'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  const added = await daemon.call(apiKey, '/v1/memories', { body: { content: HOSTILE } });
  expect(added.status).toBe(201);
});
afterAll(async () => {
  await person.close();
  await daemon.close();
});

test.each([
  ['svc search --json', ['search', 'tea', '--json'], /"content": (".*")/],
  ['svc export', ['export'], /"content":("[^"]*")/],
])('%s escapes control and direction characters on a terminal; the data is the same', async (_, words, content) => {
  const { out, code } = await person.run(words, { tty: true });
  expect(code).toBe(0);
  expect(out).not.toMatch(RAW);
  expect(out).toContain('\\u009b2J \\u202e\\u2066\\u200f\\u061c\\u007f');
  expect(JSON.parse(content.exec(out)![1]!)).toBe(HOSTILE);
});

test('svc admin --json does so too, wherever it goes', () => {
  let out = '';
  const command = new Command().option('--json');
  const terminal: Terminal = {
    out(text) {
      out += text;
    },
    error: () => {},
  };
  const admin = createAdminContext(command, terminal, () => Promise.reject(new Error('not used')));
  command.parse(['--json'], { from: 'user' });
  admin.print('not used', { email: HOSTILE });
  expect(out).not.toMatch(RAW);
  expect(JSON.parse(out)).toEqual({ email: HOSTILE });
});

test('an error that names a file leaves no control or direction character', async () => {
  let error = '';
  const terminal: Terminal = {
    out: () => {},
    error(text) {
      error += text;
    },
  };
  const code = await runProgram(['import', `/missing/${HOSTILE}`], '0', terminal, () => Promise.resolve('SIGTERM'));
  expect(code).toBe(1);
  expect(error).toContain('/missing/tea \ufffd2J');
  expect(error).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
});

test('what is piped is not changed by a byte', async () => {
  const exported = await daemon.call(apiKey, '/v1/export');
  const memory = (text: string) => text.split('\n').find((line) => line.includes('"type":"memory"'));
  const { out } = await person.run(['export']);
  expect(memory(out)).toContain(HOSTILE);
  expect(memory(out)).toBe(memory(exported.text));
  expect((await person.run(['search', 'tea', '--json'])).out).toContain(HOSTILE);
});
