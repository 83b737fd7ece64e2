import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createMemoryProgram } from './memory-harness.ts';

/** Checks that commands accept every option and example that their `--help` shows. */

const NOTHING = { out() {}, error() {}, isTty: false, errorIsTty: false, columns: 80, color: false };

function createProgram(): Command {
  const program = createMemoryProgram({
    terminal: { ...NOTHING, closed: new AbortController().signal },
    input: { isTty: false, stream: (async function* () {})(), ask: async () => '' },
    environment: { home: '', platform: 'linux', cwd: '', env: {} },
    settingsFolder: '',
    clock: systemClock,
    session: () => Promise.reject(new Error('Reached the action')),
    stopSignal: () => new Promise(() => {}),
  });
  // These work on a data folder, without a session that could refuse.
  for (const command of program.commands.find((one) => one.name() === 'model')!.commands) command.action(() => {});
  return program;
}

function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part), getOutHelpWidth: () => 200 });
  command.outputHelp();
  return parts.join('');
}

const firstWords = createProgram().commands.map((command) => command.name());
/** Every command path: `add`, `provider`, `provider add`. */
const names = createProgram().commands.flatMap((command) => [
  command.name(),
  ...command.commands.map((child) => `${command.name()} ${child.name()}`),
]);
const find = (program: Command, name: string) =>
  name.split(' ').reduce((parent, word) => parent.commands.find((command) => command.name() === word)!, program);

/** A valid value for each kind of option. */
function sample(command: string, placeholder: string | undefined, name: string): string[] {
  if (placeholder === undefined) return [];
  if (name === '--types') return ['memory'];
  const values: Record<string, string> = {
    '<count>': '3',
    '<time>': 'tomorrow',
    '[time]': 'yesterday',
    '<key=value>': 'a=b',
    '<format>': 'lines',
    '<in/out>': '1/2',
    '<amount>': '2',
    '<provider>': 'openai',
    '<confidence>': '0.9',
    '<assistant>': command === 'sync' ? 'claude-code' : 'claude',
    '<set>': 'tidy',
    '<schedule>': 'daily',
    '<order>': 'latest',
    '<purpose>': 'prompt',
    '<role>': 'reader',
    '<action>': 'install',
    '<state>': command === 'jobs' ? 'done' : 'on',
  };
  return [values[placeholder] ?? 'x'];
}

const ARGUMENTS: Record<string, string[]> = {
  'connections revoke': ['x'],
  'learned infer': ['on'],
  'space create': ['x'],
  'space join': ['x'],
  'space leave': ['x'],
  'space use': ['x'],
  'space invite': ['x'],
  'space role': ['x', 'reader'],
  'space remove': ['x'],
  'space copy': ['abcdef12'],
  'space tie': ['x'],
  'space rename': ['x'],
  'space delete': ['--yes'],
  search: ['x'],
  context: ['x'],
  show: ['abcdef12'],
  topic: ['x'],
  edit: ['abcdef12'],
  forget: ['abcdef12', '--yes'],
  import: ['-'],
  sync: ['x'],
  completion: ['bash'],
  add: ['x'],
  'provider add': ['ollama'],
  'provider check': ['openai'],
  'provider remove': ['openai', '--yes'],
  'provider use': ['embedding', 'none'],
  extract: ['abcdef12'],
  jobs: ['abcdef12'],
  'model add': ['all-MiniLM-L6-v2'],
  'model remove': ['all-MiniLM-L6-v2'],
  'users forget': ['ada', '--yes'],
  'conversations show': ['abcdef12'],
  'conversations extract': ['abcdef12'],
  'conversations forget': ['abcdef12', '--yes'],
  'episodes show': ['abcdef12'],
  'episodes cut': ['abcdef12'],
  'episodes forget': ['abcdef12', '--yes'],
};

describe.each(names)('svc %s --help', (name) => {
  const help = helpOf(find(createProgram(), name));
  const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: ([<[][^ ]+[>\]]))? {2,}(\S.*)$/gm)];

  test('lists only options that are accepted and described', async () => {
    for (const [, option = '', placeholder, about] of options) {
      if (option === '--help') continue;
      const words = [...name.split(' '), ...(ARGUMENTS[name] ?? []), option, ...sample(name, placeholder, option)];
      const outcome = await accepted(words);
      expect(outcome, words.join(' ')).toBe('accepted');
      expect(about!.length).toBeGreaterThan(5);
    }
    const declared = find(createProgram(), name)
      .options.filter(({ hidden }) => !hidden)
      .map(({ long }) => long);
    expect(options.map(([, option]) => option).sort()).toEqual([...declared, '--help'].sort());
  });

  test('shows only examples that are accepted', async () => {
    const examples = [...help.matchAll(/^ {2}\$ (.+?)(?: {3,}.*)?$/gm)].flatMap(([, line]) => svcCalls(line!));
    expect(examples.length).toBeGreaterThan(0);
    for (const words of examples) {
      if (!firstWords.includes(words[0]!)) continue;
      expect(await accepted(words), words.join(' ')).toBe('accepted');
    }
  });

  test('fits in 100 columns', () => {
    const prose = help.slice(help.indexOf('Examples'));
    for (const line of prose.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});

async function accepted(words: string[]): Promise<string> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
    return 'accepted';
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    return code.startsWith('commander.') ? message : 'accepted';
  }
}

/** The arguments of each svc call in a shell command line. */
function svcCalls(line: string): string[][] {
  return line
    .split(/[|;]|<\(/)
    .map((part) =>
      part
        .replace(/\).*$/, '')
        .replace(/>.*$/, '')
        .trim()
        .replace(/^xargs (.*)/, '$1 abcdef12'),
    )
    .filter((part) => part.startsWith('svc '))
    .map((part) => [...part.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '').slice(1));
}
