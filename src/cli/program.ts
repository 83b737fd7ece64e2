import { Command, CommanderError } from 'commander';
import type { SetExitCode, Terminal } from './command-context.ts';
import { type CommandDependencies, type LazyCommand, listCommands } from './command-list.ts';
import { EXIT } from './exit.ts';

const EPILOGUE = `
Examples:
  $ svc serve                          start the daemon on http://127.0.0.1:8787
  $ svc login                          sign in; the key goes into the keychain
  $ svc mcp-config                     set svc up in the assistants on this machine
  $ svc add "Ada prefers tea"          remember
  $ svc search what does Ada drink     recall
  $ svc help search                    a command with its examples

Exit codes: 0 done, 1 failed, 2 usage, 3 not signed in, 4 daemon not reachable.`;

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
  const endWith: SetExitCode = (code) => {
    exitCode = code;
  };
  const world: CommandDependencies = { version, terminal, stopSignal, setExitCode: endWith, loadProgram };
  const commands = listCommands(world);

  async function loadProgram(): Promise<Command> {
    return createProgram(commands, () => true, version, terminal);
  }

  try {
    // The first word that names a command: `svc help serve` and options before the command find it too.
    const wanted = argv.find((word) => commands.some(({ name }) => name === word));
    const program = await createProgram(commands, (name) => name === wanted, version, terminal);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return await report(error, terminal);
  }
}

/** The whole program, with the code of those commands that `isWanted` names. */
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
    .showHelpAfterError('(svc --help shows what there is)');
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

/** Says what went wrong, in a line for a person where it was foreseen, and returns the exit code. */
async function report(error: unknown, terminal: Terminal): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { name, message, stack } = error as Error;
  const { toFailure } = await import('./failure.ts');
  const failure = toFailure(error);
  const exitCode = name === 'ConfigError' ? EXIT.usage : (failure?.exitCode ?? EXIT.failed);
  const text = name === 'ConfigError' ? message : failure ? failure.message : (stack ?? String(error));
  for (const line of text.split('\n').filter((part) => part !== '')) terminal.error(`svc: ${line}\n`);
  return exitCode;
}
