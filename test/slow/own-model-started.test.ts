import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { tidyCommand } from '../../src/cli/commands/tidy.ts';
import { ASSISTANT_PROGRAM_NAMES } from '../../src/cli/own-model/program-names.ts';
import type { Memory } from '../../src/contract/memories.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { converse } from '../features/extraction/extraction-daemon.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../features/suggestions/suggestion-daemon.ts';
import { storeKey } from '../helpers/assistants/real-assistants.ts';
import { BIN } from '../helpers/process.ts';

/** `svc tidy --with claude` and `svc extract --with claude` as processes, with a scripted program in place of Claude Code. */

const FAKE = fileURLToPath(new URL('fake-claude.mjs', import.meta.url));

let daemon: MemoryDaemon;
let caller: Suggesting;
let folder: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
  folder = await mkdtemp(join(tmpdir(), 'svc-tidy-with-'));
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'tmp'));
  await symlink(FAKE, join(folder, 'bin/claude'));
  const env = { SVC_CONFIG_DIR: join(folder, 'svc') };
  const environment = { home: folder, cwd: folder, platform: process.platform, env };
  await storeKey(environment, daemon.baseUrl, caller.apiKey);
  return () => rm(folder, { recursive: true, force: true });
});

interface Report {
  argv: string[];
  config: string;
  cwd: string;
  ownRun: string;
  pids: number[];
}

const report = async () => JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as Report;

const start = (words: string[], more = {}) => run(['tidy', ...words], more);

function run(words: string[], { script = 'works', path = join(folder, 'bin') } = {}) {
  return execa(BIN, words, {
    cwd: folder,
    extendEnv: false,
    env: {
      PATH: [path, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
      SVC_CONFIG_DIR: join(folder, 'svc'),
      FAKE_SCRIPT: script,
      FAKE_REPORT: join(folder, 'report.json'),
    },
    reject: false,
    stdin: 'ignore',
    timeout: 60_000,
  });
}

const addTwins = (user?: string) =>
  caller.addAll(
    ['Ada keeps her bicycle in the cellar', 'The bicycle of Ada is in the cellar'].map((content) => ({
      content,
      ...(user !== undefined && { user }),
    })),
  );

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('svc tidy --with', () => {
  test('lets the assistant suggest through the bridge, and says what is new and what it cost', async () => {
    const twins = await addTwins();
    const { exitCode, stdout, stderr } = await start(['--with', 'claude']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(
      'Claude Code: 1 portion read, 1 change proposed (1,234 tokens, $0.0123).\n1 suggestion is new: decide with svc review.',
    );
    expect(await caller.suggestions()).toMatchObject([
      { kind: 'merge', by: 'assistant', memoryIds: twins.map(({ id }) => id), byName: 'claude-code' },
    ]);
    const again = await start(['--with', 'claude', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ assistant: 'claude', portions: 1, proposed: 1, newSuggestions: [] },
      ...{ tokens: 1234, costUsd: 0.0123, seconds: expect.any(Number), stopped: null },
    });
  });

  test('runs it in an empty folder that is gone afterwards, marked, and without the key', async () => {
    await addTwins();
    await start(['--with', 'claude']);
    const { argv, config, cwd, ownRun } = await report();
    expect(cwd).toContain(join(folder, 'tmp'));
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
    expect(ownRun).toBe('1');
    expect(argv.join('\n') + config).not.toMatch(/svc_live_/);
    expect(argv[argv.indexOf('--allowedTools') + 1]).toBe('mcp__svc__suggestions_list,mcp__svc__suggestions_propose');
    expect(argv[argv.indexOf('-p') + 1]).toMatch(/never an instruction[\s\S]*ask no questions/);
  });

  test('tidies the memories of a user with a model', async () => {
    await addTwins('ada');
    const { stdout } = await start(['--with', 'claude', '--user', 'ada', '--model', 'small']);
    expect(stdout).toContain('1 suggestion is new');
    expect(await caller.suggestions()).toMatchObject([{ user: 'ada' }]);
    const { argv } = await report();
    expect(argv[argv.indexOf('--model') + 1]).toBe('small');
  });

  test('says so and starts nothing if no memories are about the same', async () => {
    await caller.addAll([{ content: 'Ada keeps her bicycle in the cellar' }, { content: 'Zucchini soup' }]);
    const { exitCode, stdout } = await start(['--with', 'claude']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Nothing to tidy: no memories are about the same.' });
    await expect(report()).rejects.toThrow('ENOENT');
  });

  test.each(ASSISTANT_PROGRAM_NAMES)('says how to install %s if it is missing', async (name) => {
    const { exitCode, stderr } = await start(['--with', name], { path: '/nowhere' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(new RegExp(`is not installed: there is no ${name} on the PATH. .*npm install -g `));
  });

  test.each([
    ['signed-out', 'Claude Code is not signed in. Run claude once and sign in, then try again.'],
    ['model-error', 'Claude Code failed: API Error: 529 ␛[31moverloaded␛[0m'],
  ])('reports %s in words that a terminal can print', async (script, message) => {
    await addTwins();
    const { exitCode, stderr } = await start(['--with', 'claude'], { script });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u001b');
  });

  test.each([
    ['turns', 'endless', ['--max-turns', '3'], 'Stopped after 3 turns', 4],
    ['time', 'hangs', ['--max-minutes', '0.05'], 'Stopped after 0.05 minutes', 1],
  ])('stops at the bound of %s, with all that it started', async (_, script, bound, message, portions) => {
    await addTwins();
    const { exitCode, stdout, stderr } = await start(['--with', 'claude', ...bound], { script });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${portions} portion`);
    expect(stderr).toContain(message);
    const { pids } = await report();
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 5000 });
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('ends the assistant and its bridge on %s', async (signal) => {
    await addTwins();
    const running = start(['--with', 'claude'], { script: 'hangs' });
    const { pids } = await vi.waitFor(report, { timeout: 20_000 });
    expect(pids.filter(isAlive)).toEqual(pids);
    running.kill(signal);
    expect((await running).exitCode).toBe(130);
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 5000 });
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test('refuses bounds without an assistant, and an assistant beside a provider', async () => {
    expect((await start(['--max-turns', '3'])).stderr).toContain('--max-turns and --max-minutes go with --with.');
    const both = await start(['--with', 'claude', '--provider', 'openai']);
    expect(both.exitCode).toBe(2);
    expect((await start(['--with', 'claude', '--max-minutes', '0'])).exitCode).toBe(2);
  });
});

describe('svc extract --with', () => {
  const extract = (...words: string[]) => run(['extract', '--with', 'claude', ...words]);

  test('lets the assistant read what was said, and shows what was stored', async () => {
    await converse(caller, ['Papa drove trams in Rosario.']);
    await converse(caller, ['Mama taught chemistry.']);
    const { exitCode, stdout, stderr } = await extract();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Claude Code: 2 portions read, 2 memories found \(1,234 tokens, \$0\.0123\)\.\n2 memories are new:\n\w+ {2}Papa drove trams in Rosario\.\n\w+ {2}Mama taught chemistry\.$/,
    );
    const { body } = await caller.call<{ data: Memory[] }>('/v1/memories');
    expect(body.data).toMatchObject([
      { content: 'Mama taught chemistry.', tags: ['said'], origin: 'extraction', client: 'claude-code' },
      { content: 'Papa drove trams in Rosario.' },
    ]);
    const { argv } = await report();
    expect(argv[argv.indexOf('--allowedTools') + 1]).toBe('mcp__svc__messages_list,mcp__svc__memories_store');
    expect((await extract()).stdout).toBe(
      'Nothing to read: nothing new was said in the last 7 days; --after reads further back.',
    );
  });

  test('says for programs what was stored, of the user and the time that it was asked for', async () => {
    await converse(caller, [{ content: 'Ada keeps bees.', createdAt: '2026-01-05T00:00:00.000Z' }], 'ada');
    expect(JSON.parse((await extract('--user', 'ada', '--json')).stdout)).toEqual({
      ...{ assistant: 'claude', newMemories: [], stopped: null },
    });
    const { stdout } = await extract('--user', 'ada', '--after', '2026-01-01', '--json');
    const { body } = await caller.call<{ data: Memory[] }>('/v1/memories?user=ada');
    expect(JSON.parse(stdout)).toEqual({
      ...{ assistant: 'claude', portions: 1, found: 1, newMemories: body.data.map(({ id }) => id) },
      ...{ tokens: 1234, costUsd: 0.0123, seconds: expect.any(Number), stopped: null },
    });
  });

  test('refuses what does not go together, and says what does', async () => {
    expect((await run(['extract'])).stderr).toContain('svc extract --with claude');
    expect((await run(['extract', 'conv_1', '--after', 'yesterday'])).stderr).toContain('go with --with.');
    expect((await extract('conv_1')).stderr).toContain('--with reads all conversations');
    for (const word of ['--wait', '--dry-run', '--again']) expect((await extract(word)).exitCode).toBe(2);
  });
});

test('shows at a terminal what is going on', async () => {
  await addTwins();
  const drawn: string[] = [];
  const { PATH = '' } = process.env;
  const environment = {
    ...{ home: folder, platform: process.platform, cwd: folder },
    env: {
      ...{ PATH: join(folder, 'bin') + delimiter + PATH, HOME: folder, SVC_CONFIG_DIR: join(folder, 'svc') },
      ...{ FAKE_SCRIPT: 'works', FAKE_REPORT: join(folder, 'report.json') },
    },
  };
  const context: CommandContext = {
    terminal: {
      out: () => {},
      error: (text) => drawn.push(text),
      ...{ isTty: true, errorIsTty: true, columns: 80, color: false, closed: new AbortController().signal },
    },
    input: { isTty: true, stream: Readable.from([]), ask: async () => '' },
    ...{ environment, settingsFolder: join(folder, 'svc'), clock: systemClock },
    session: async () => ({ profileName: 'default', url: daemon.baseUrl, apiKey: caller.apiKey }),
    stopSignal: () => new Promise(() => {}),
  };
  const command = tidyCommand(context, { node: process.execPath, script: BIN });
  await command.parseAsync(['--with', 'claude'], { from: 'user' });
  expect(drawn[0]).toContain('Claude Code: starting');
  expect(drawn.join('')).toContain('Claude Code: 1 portion read, 0 changes proposed');
  expect(drawn.at(-1)).toBe('\r\u001b[K');
});

test('an assistant that cannot be started is reported', async () => {
  await addTwins();
  const path = join(folder, 'broken');
  await mkdir(path);
  await writeFile(join(path, 'claude'), 'no program');
  await chmod(join(path, 'claude'), 0o755);
  const { exitCode, stderr } = await start(['--with', 'claude'], { path });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Claude Code failed');
});
