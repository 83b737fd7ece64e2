import { Command, CommanderError } from 'commander';
import { AppError } from '../contract/errors.ts';
import { EXIT } from './exit.ts';

/** Where the process reads and writes. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
}

/** Each command's code is loaded only when it is called, so that `svc login` loads no database. */
interface LazyCommand {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

const EPILOGUE = `
Examples:
  $ svc serve                         start the daemon on http://127.0.0.1:8787
  $ svc serve --check                 see the configuration in force
  $ svc admin tenants                 who has an account on this daemon
  $ svc admin tier a@example.com Pro  change an account's tier

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
  const commands: LazyCommand[] = [
    {
      name: 'serve',
      summary: 'run the daemon',
      load: async () => (await import('./commands/serve.ts')).serveCommand(version, terminal, stopSignal),
    },
    {
      name: 'admin',
      summary: "tenants, tiers, invitations and checks, on the daemon's machine",
      load: async () => (await import('./commands/admin.ts')).adminCommand(terminal),
    },
  ];
  const program = new Command('svc')
    .description('Persistent memory for AI assistants: the daemon and its command line.')
    .version(version, '-V, --version')
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(svc --help shows what there is)');
  const wanted = commands.find(({ name }) => name === argv.find((word) => !word.startsWith('-')));
  for (const { name, summary, load } of commands) {
    if (name === wanted?.name) program.addCommand(await load());
    else program.command(name).description(summary).allowUnknownOption().allowExcessArguments();
  }
  applyToAll(program, (command) =>
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.error }),
  );
  return run(program, argv, terminal);
}

function applyToAll(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) applyToAll(child, apply);
}

async function run(program: Command, argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return EXIT.done;
    }
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if ((error as Error).name === 'ConfigError') {
      for (const line of (error as Error).message.split('\n')) terminal.error(`svc: ${line}\n`);
      return EXIT.usage;
    }
    const known = error instanceof AppError;
    terminal.error(`svc: ${known ? error.message : ((error as Error).stack ?? String(error))}\n`);
    return EXIT.failed;
  }
}
