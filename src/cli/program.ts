import { Command, CommanderError } from 'commander';
import type { SetExitCode, Terminal } from './command-context.ts';
import { type CommandDependencies, listCommands } from './command-list.ts';
import { EXIT } from './exit.ts';
import type { LazyCommand } from './lazy-command.ts';

const EPILOGUE = `
Examples:
  $ svc serve                          start the daemon on http://127.0.0.1:8787
  $ svc service install                keep it running in the background
  $ svc login                          sign in; the key goes into the keychain
  $ svc mcp-config                     connect the assistants on this machine
  $ svc add "Ada prefers tea"          store a memory
  $ svc search what does Ada drink     search memories
  $ svc help search                    help and examples for a command

Exit codes: 0 success, 1 failure, 2 usage, 3 not signed in, 4 daemon unreachable.`;

/**
 * Runs one command line and returns the exit code. `stopSignal` resolves when the process is asked to stop.
 */
export async function runProgram(
  argv: readonly string[],
  version: string,
  terminal: Terminal,
  stopSignal: () => Promise<string>,
): Promise<number> {
  let exitCode: number = EXIT.done;
  const setExitCode: SetExitCode = (code) => {
    exitCode = code;
  };
  const dependencies: CommandDependencies = { version, terminal, stopSignal, setExitCode, loadProgram };
  const commands = listCommands(dependencies);

  async function loadProgram(): Promise<Command> {
    return createProgram(commands, () => true, version, terminal);
  }

  try {
    // The first word that names a command, which also covers `svc help serve` and options before the command.
    const wanted = argv.find((word) => commands.some(({ name }) => name === word));
    const program = await createProgram(commands, (name) => name === wanted, version, terminal);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(isHelpOfUnknown(argv, commands) ? argv.slice(1) : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return await report(error, terminal);
  }
}

/** Whether help is wanted for a command that does not exist: Commander says so, with the nearest one, where it is called. */
function isHelpOfUnknown([first, second]: readonly string[], commands: readonly LazyCommand[]): boolean {
  return first === 'help' && second !== undefined && !commands.some(({ name }) => name === second);
}

/** Whether a package is missing or its binary does not fit this machine, or no more files can be opened. */
function isLoadFailure(error: unknown): boolean {
  const { code = '', tries } = error as { code?: string; tries?: unknown };
  return LOAD_FAILURES.has(code) || tries !== undefined;
}

const LOAD_FAILURES = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED', 'EMFILE', 'ENFILE']);

/** Creates the program and loads the commands that `isWanted` selects. */
async function createProgram(
  commands: readonly LazyCommand[],
  isWanted: (name: string) => boolean,
  version: string,
  terminal: Terminal,
): Promise<Command> {
  const program = new Command('svc')
    .description('Persistent memory for AI assistants: the daemon and its command line.')
    .version(version, '-V, --version')
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(run svc --help for usage)')
    .commandsGroup('Other:')
    .helpCommand(true);
  for (const { name, summary, group, load } of commands) {
    const command = isWanted(name) ? await load() : new Command(name);
    program.addCommand(command.summary(summary).helpGroup(group));
  }
  applyToAll(program, (command) =>
    command
      .exitOverride()
      .configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
      .configureHelp({ showGlobalOptions: true }),
  );
  return program;
}

function applyToAll(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) applyToAll(child, apply);
}

/**
 * Prints an error, with a stack trace only if it was unexpected, and returns the exit code. A message may name a file or
 * contain text of a daemon. Rethrows an error of loading code, which `bin/svc` explains: this function would load more.
 */
async function report(error: unknown, terminal: Terminal): Promise<number> {
  if (isLoadFailure(error)) throw error;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { name, message, stack } = error as Error;
  const [{ toFailure }, { printable }] = await Promise.all([
    import('./failure.ts'),
    import('./memory/terminal-text.ts'),
  ]);
  const failure = toFailure(error);
  const exitCode = name === 'ConfigError' ? EXIT.usage : (failure?.exitCode ?? EXIT.failed);
  const text = name === 'ConfigError' ? message : failure ? failure.message : (stack ?? String(error));
  const lines = printable(text).split('\n');
  for (const line of lines) if (line !== '') terminal.error(`svc: ${line}\n`);
  return exitCode;
}
