import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type { NewTidy } from '../../contract/jobs.ts';
import { PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import type { Program } from '../assistants/bridge-command.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { followJob } from '../jobs/follow-job.ts';
import { describeError, describeTidied } from '../jobs/job-lines.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import {
  type AssistantProgramName,
  MAX_MINUTES_OPTION,
  MAX_TURNS_OPTION,
  withOption,
} from '../own-model/program-names.ts';
import { ownProgram } from '../own-program.ts';
import { describeUsage } from '../providers/settings-lines.ts';

interface TidyOptions extends CommonOptions {
  user?: string;
  project?: string;
  provider?: Provider;
  model?: string;
  with?: AssistantProgramName;
  maxTurns?: number;
  maxMinutes?: number;
}

const HELP = `
A model of your own provider key reads memories that are about the same, and
suggests which say the same, which are out of date, and which contradict each
other. Nothing changes until you accept a suggestion: svc review goes through
them. The job runs in the daemon: Ctrl-C stops waiting, not the job.

With --with, an assistant on this machine does so with its own model, and needs no
provider key: it runs without a screen, in an empty folder, with the tools to read
memories and to suggest, and no others. Ctrl-C ends it; what it has suggested stays.

Examples:
  $ svc tidy
  $ svc tidy --user ada --project website
  $ svc tidy --provider anthropic --model claude-haiku-4-5
  $ svc tidy --with claude`;

/** `svc tidy`: lets a model suggest how to tidy memories, and follows it. */
export function tidyCommand(context: CommandContext, program: Program = ownProgram()): Command {
  return new Command('tidy')
    .description('let your own model suggest how to tidy memories')
    .option('--user <user>', 'whose memories')
    .option('--project <project>', 'only memories of this project and general ones')
    .addOption(
      new Option('--provider <provider>', 'use this provider instead of the configured one').choices([...PROVIDERS]),
    )
    .option('--model <name>', 'use this model instead of the configured one')
    .addOption(withOption('provider'))
    .option(...MAX_TURNS_OPTION)
    .option(...MAX_MINUTES_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (options: TidyOptions) => {
      const client = await openClient(context, options, { retries: 5 });
      if (options.with !== undefined) {
        const { tidyWith } = await import('../own-model/tidy-with.ts');
        return tidyWith({ ...options, with: options.with }, { client, context, program });
      }
      if (options.maxTurns !== undefined || options.maxMinutes !== undefined) {
        throw new CommandFailure(EXIT.usage, '--max-turns and --max-minutes go with --with.');
      }
      await tidyWithKey(client, options, context);
    });
}

/** Queues the job and follows it to its end. */
async function tidyWithKey(client: Client, options: TidyOptions, context: CommandContext): Promise<void> {
  const { jobId } = await client.tidy(requestOf(options));
  await createRecentIds(context.settingsFolder).remember([jobId]);
  const job = await followJob(jobId, { client, context, progress: createProgressLine(context, options) });
  if (options.json) printJson(context, job);
  else if (job.state === 'done') {
    const { style } = renderOptions(context);
    const used = job.used.requests > 0 ? ` (${describeUsage(job.used)})` : '';
    context.terminal.out(`${style.good('✓')} ${describeTidied(job)}${used}.\n${await waiting(client, options)}`);
  }
  if (job.state === 'done') return;
  const reason = job.error === null ? `The job was ${job.state}.` : describeError(job, context.clock.nowMs());
  throw new CommandFailure(EXIT.failed, options.json ? '' : reason);
}

/** Says how many suggestions wait for a decision, and where to decide. */
async function waiting(client: Client, { user = 'default' }: TidyOptions): Promise<string> {
  const { data, nextCursor } = await client.suggestions.list({ state: 'open', user, limit: 200 });
  if (data.length === 0) return '';
  const count = nextCursor === null ? `${data.length}` : `More than ${data.length}`;
  const isOne = data.length === 1 && nextCursor === null;
  return `${count} ${isOne ? 'suggestion waits' : 'suggestions wait'} for your decision: svc review\n`;
}

function requestOf({ user, project, provider, model }: TidyOptions): NewTidy {
  return {
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}
