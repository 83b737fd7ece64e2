import { Command, CommanderError } from 'commander';
import { AppError } from '../contract/errors.ts';
import { EXIT } from './exit.ts';

/** What a command writes to. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
}

/** Told by a command that did its work to the end and yet does not end with 0. */
export type EndWith = (exitCode: number) => void;

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
  let exitCode: number = EXIT.done;
  const endWith: EndWith = (code) => {
    exitCode = code;
  };
  const commands: LazyCommand[] = [
    {
      name: 'serve',
      summary: 'run the daemon',
      load: async () => (await import('./commands/serve.ts')).serveCommand(version, terminal, stopSignal, endWith),
    },
    {
      name: 'admin',
      summary: "tenants, tiers, invitations and checks, on the daemon's machine",
      load: async () => (await import('./commands/admin.ts')).adminCommand(terminal, endWith),
    },
  ];
  try {
    const program = await createProgram(commands, argv, version, terminal);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return report(error, terminal);
  }
}

/** The whole program, with the code of the one command that `argv` names. */
async function createProgram(
  commands: readonly LazyCommand[],
  argv: readonly string[],
  version: string,
  terminal: Terminal,
): Promise<Command> {
  const program = new Command('svc')
    .description('Persistent memory for AI assistants: the daemon and its command line.')
    .version(version, '-V, --version')
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(svc --help shows what there is)');
  // The first word that names a command: `svc help serve` and options before the command find it too.
  const wanted = argv.map((word) => commands.find(({ name }) => name === word)).find((command) => command);
  for (const { name, summary, load } of commands) {
    if (name === wanted?.name) program.addCommand(await load());
    else program.command(name).description(summary);
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
function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { name, message, stack } = error as Error;
  const isConfig = name === 'ConfigError';
  const text = isConfig || error instanceof AppError ? message : (stack ?? String(error));
  for (const line of text.split('\n')) terminal.error(`svc: ${line}\n`);
  return isConfig ? EXIT.usage : EXIT.failed;
}
