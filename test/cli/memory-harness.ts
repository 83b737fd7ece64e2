import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { actingSpace } from '../../src/cli/acting-space.ts';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { addCommand } from '../../src/cli/commands/add.ts';
import { completionCommand } from '../../src/cli/commands/completion.ts';
import { connectionsCommand } from '../../src/cli/commands/connections.ts';
import { contextCommand } from '../../src/cli/commands/context.ts';
import { conversationsCommand } from '../../src/cli/commands/conversations.ts';
import { editCommand } from '../../src/cli/commands/edit.ts';
import { episodesCommand } from '../../src/cli/commands/episodes.ts';
import { exportCommand } from '../../src/cli/commands/export.ts';
import { extractCommand } from '../../src/cli/commands/extract.ts';
import { forgetCommand } from '../../src/cli/commands/forget.ts';
import { importCommand } from '../../src/cli/commands/import.ts';
import { jobsCommand } from '../../src/cli/commands/jobs.ts';
import { learnedCommand } from '../../src/cli/commands/learned.ts';
import { listCommand } from '../../src/cli/commands/list.ts';
import { mcpCommand } from '../../src/cli/commands/mcp.ts';
import { modelCommand } from '../../src/cli/commands/model.ts';
import { openCommand } from '../../src/cli/commands/open.ts';
import { providerCommand } from '../../src/cli/commands/provider.ts';
import { reviewCommand } from '../../src/cli/commands/review.ts';
import { searchCommand } from '../../src/cli/commands/search.ts';
import { showCommand } from '../../src/cli/commands/show.ts';
import { spaceCommand } from '../../src/cli/commands/space.ts';
import { syncCommand } from '../../src/cli/commands/sync.ts';
import { tidyCommand } from '../../src/cli/commands/tidy.ts';
import { topicCommand } from '../../src/cli/commands/topic.ts';
import { topicsCommand } from '../../src/cli/commands/topics.ts';
import { usersCommand } from '../../src/cli/commands/users.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { CommandFailure, NotSignedInError, toFailure } from '../../src/cli/failure.ts';
import { openSettings } from '../../src/cli/settings.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';

interface RunOptions {
  /** Input and output are terminals. */
  tty?: boolean;
  columns?: number;
  color?: boolean;
  stdin?: string;
  /** The input ends only when something was printed. */
  awaitsOutput?: boolean;
  /** The answer to a question. */
  typed?: string;
  env?: Record<string, string>;
  /** The reader goes away after this much output. */
  readerStopsAfter?: number;
  /** Resolves when the person presses Ctrl-C. */
  interrupted?: Promise<string>;
}

export interface RunResult {
  out: string;
  err: string;
  code: number;
  questions: string[];
  /** Questions with a hidden answer. */
  hidden: string[];
}

export interface CliUser {
  run(words: string[], options?: RunOptions): Promise<RunResult>;
  folder: string;
  close(): Promise<void>;
}

/** A signed-in user of the command line: `run(['add', 'tea'])` is `svc add tea`. */
export async function createCliUser(
  url: string,
  apiKey: string | undefined,
  clock: Clock = systemClock,
): Promise<CliUser> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-person-'));
  return {
    folder,
    run: (words, options = {}) => run(words, options, { url, apiKey, clock, folder }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

interface RunDependencies {
  url: string;
  apiKey: string | undefined;
  clock: Clock;
  folder: string;
}

async function run(words: string[], options: RunOptions, dependencies: RunDependencies): Promise<RunResult> {
  const ran: RunResult = { out: '', err: '', code: EXIT.done, questions: [], hidden: [] };
  const program = createMemoryProgram(contextOf(options, dependencies, ran));
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    const failure = toFailure(error);
    if (!failure && !(error instanceof CommanderError)) throw error;
    if (failure?.message) ran.err += `svc: ${failure.message}\n`;
    ran.code = failure ? failure.exitCode : (error as CommanderError).exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return ran;
}

function contextOf(
  options: RunOptions,
  { url, apiKey, clock, folder }: RunDependencies,
  ran: RunResult,
): CommandContext {
  const {
    tty = false,
    columns = 80,
    color = false,
    stdin = '',
    awaitsOutput = false,
    typed,
    env = {},
    readerStopsAfter,
    interrupted = new Promise(() => {}),
  } = options;
  const closed = new AbortController();
  let printed = () => {};
  const hasPrinted = new Promise<void>((resolve) => {
    printed = resolve;
  });
  const environment = {
    home: folder,
    platform: process.platform,
    cwd: folder,
    env: { SVC_CONFIG_DIR: folder, ...env },
  };
  return {
    terminal: {
      out(text) {
        ran.out += text;
        printed();
        if (readerStopsAfter !== undefined && ran.out.length >= readerStopsAfter)
          closed.abort(new CommandFailure(EXIT.done));
      },
      error(text) {
        ran.err += text;
      },
      isTty: tty,
      errorIsTty: tty,
      columns,
      color,
      closed: closed.signal,
    },
    input: {
      isTty: tty,
      stream: Readable.from(
        (async function* () {
          yield Buffer.from(stdin);
          if (awaitsOutput) await hasPrinted;
        })(),
      ),
      async ask(question, options) {
        ran.questions.push(question);
        if (options?.hidden) ran.hidden.push(question);
        return typed ?? '';
      },
    },
    environment,
    settingsFolder: folder,
    clock,
    async session(profile, space) {
      if (apiKey === undefined) throw new NotSignedInError();
      const profileName = profile ?? 'default';
      const { profile: stored, overrides } = openSettings(environment);
      const acting = actingSpace(space, overrides.space, stored(profileName)?.space);
      return { profileName, url, apiKey, space: acting };
    },
    stopSignal: () => interrupted,
  };
}

/** Creates a program with the memory, provider and assistant commands. */
export function createMemoryProgram(context: CommandContext): Command {
  const program = new Command('svc').description('Memory').version('1.2.3');
  const commands = [addCommand, searchCommand, listCommand, showCommand, editCommand, forgetCommand];
  commands.push(
    exportCommand,
    importCommand,
    syncCommand,
    providerCommand,
    extractCommand,
    tidyCommand,
    jobsCommand,
    learnedCommand,
    usersCommand,
    reviewCommand,
    topicsCommand,
    topicCommand,
    conversationsCommand,
    episodesCommand,
    openCommand,
    connectionsCommand,
    spaceCommand,
    modelCommand,
  );
  for (const create of commands) program.addCommand(create(context));
  program.addCommand(contextCommand(context, systemRandom));
  program.addCommand(mcpCommand(context, '1.2.3'));
  program.addCommand(completionCommand(context.terminal, async () => program));
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    command.exitOverride().configureOutput({ writeOut: context.terminal.out, writeErr: context.terminal.error });
  }
  return program;
}
