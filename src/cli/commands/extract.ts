import { Argument, Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type { NewExtraction } from '../../contract/jobs.ts';
import { PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { followJob } from '../jobs/follow-job.ts';
import { describeError } from '../jobs/job-lines.ts';
import { printOutcome } from '../jobs/print-outcome.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { CONVERSATION, findId } from '../memory/find-id.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortId } from '../memory/short-id.ts';

interface ExtractOptions extends CommonOptions {
  dryRun?: true;
  again?: true;
  provider?: Provider;
  model?: string;
  wait?: true;
}

const HELP = `
Reads what is new in the conversation since the last extraction, using a model
of your own provider key, and stores what is worth remembering along with the
messages it came from. The job runs in the daemon: --wait follows it and exits
with 1 if it fails. svc conversations shows their ids.

Examples:
  $ svc extract 5b7c90ae --dry-run --wait
  $ svc extract 5b7c90ae --wait
  $ svc extract 5b7c90ae --again --provider anthropic --model claude-haiku-4-5`;

/** `svc extract`: queues a job that extracts memories from a conversation. */
export function extractCommand(context: CommandContext): Command {
  return new Command('extract')
    .description('extract memories from a conversation with your own model')
    .addArgument(new Argument('<conversation>', 'its id, or the beginning or end of it'))
    .option('--dry-run', 'show the decisions but store nothing')
    .option('--again', 'include messages read before')
    .addOption(
      new Option('--provider <provider>', 'use this provider instead of the configured one').choices([...PROVIDERS]),
    )
    .option('--model <name>', 'use this model instead of the configured one')
    .option('--wait', 'wait until the job ends and show its decisions')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: ExtractOptions) => {
      const client = await openClient(context, options, { retries: 5 });
      const recentIds = createRecentIds(context.settingsFolder);
      const id = await findId(typed, client, recentIds, CONVERSATION);
      const { jobId } = await client.conversations.extract(id, requestOf(options));
      await recentIds.remember([jobId]);
      if (options.wait) await wait(jobId, client, options, context);
      else printQueued(jobId, options, context);
    });
}

function requestOf({ dryRun, again, provider, model }: ExtractOptions): NewExtraction {
  return {
    ...(dryRun && { dryRun }),
    ...(again && { again }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}

function printQueued(jobId: string, options: ExtractOptions, context: CommandContext): void {
  const { terminal } = context;
  const label = shortId(jobId);
  if (options.json) printJson(context, { jobId });
  else if (!terminal.isTty) terminal.out(`${jobId}\n`);
  else terminal.out(`Queued.  ${renderOptions(context).style.bold(label)}\nsvc jobs ${label} shows its progress.\n`);
}

async function wait(jobId: string, client: Client, options: ExtractOptions, context: CommandContext): Promise<void> {
  const job = await followJob(jobId, { client, context, progress: createProgressLine(context, options) });
  if (options.json) printJson(context, job);
  else if (job.result !== null) await printOutcome(job, context);
  if (job.state === 'done') return;
  const reason = job.error === null ? `The job was ${job.state}.` : describeError(job, context.clock.nowMs());
  throw new CommandFailure(EXIT.failed, options.json ? '' : reason);
}
