import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { isOpen, JOB_STATES, type JobState } from '../../contract/job-states.ts';
import type { Job } from '../../contract/jobs.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { formatDecisions, jobCard, jobRow } from '../jobs/job-lines.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  parseCount,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { findId, JOB } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortId, shortIds } from '../memory/short-id.ts';

interface JobsOptions extends CommonOptions {
  limit: number;
  state?: JobState;
  cancel?: true;
}

const LARGEST_PAGE = 200;

const HELP = `
Finished jobs are listed for a month. When output is not a terminal, it prints
one line per job with tab-separated fields: id, state, messages read/total,
conversation, provider, model, time, error code.

Examples:
  $ svc jobs
  $ svc jobs --state failed
  $ svc jobs 5b7c90ae
  $ svc jobs 5b7c90ae --cancel`;

/** `svc jobs`: lists jobs, or shows or cancels one. */
export function jobsCommand(context: CommandContext): Command {
  return new Command('jobs')
    .description('show jobs, their progress and decisions')
    .argument('[id]', 'its id, or the part shown in the list')
    .option('--limit <count>', 'how many to show', parseCount, 20)
    .addOption(new Option('--state <state>', 'only jobs in this state').choices([...JOB_STATES]))
    .option('--cancel', 'cancel the job; what it has stored stays')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string | undefined, options: JobsOptions) => {
      if (typed === undefined && options.cancel) throw new CommandFailure(EXIT.usage, 'Name the job to cancel.');
      const client = await openClient(context, options);
      if (typed === undefined) return list(client, options, context);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder), JOB);
      const job = await client.jobs.get(id);
      if (options.cancel) return cancel(job, client, options, context);
      show(job, options, context);
    });
}

async function list(client: Client, { limit, state, json }: JobsOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const jobs: Job[] = [];
  const query = { limit: Math.min(limit, LARGEST_PAGE), ...(state !== undefined && { state }) };
  for await (const job of client.jobs.list(query)) {
    jobs.push(job);
    if (jobs.length === limit) break;
  }
  if (json) printJson(context, { data: jobs });
  else if (!terminal.isTty) terminal.out(jobs.map((job) => `${jobRow(job)}\n`).join(''));
  else if (jobs.length > 0) await printCards(jobs, context);
  else terminal.out(state === undefined ? 'No jobs yet. Start one with svc extract.\n' : `No ${state} jobs.\n`);
}

async function printCards(jobs: readonly Job[], context: CommandContext): Promise<void> {
  const ids = jobs.map(({ id }) => id);
  const labels = shortIds(ids);
  const cards = jobs.map((job) => jobCard(job, labels.get(job.id)!, renderOptions(context)));
  context.terminal.out(`${cards.join('\n\n')}\n`);
  await createRecentIds(context.settingsFolder).remember(ids);
}

function show(job: Job, { json }: JobsOptions, context: CommandContext): void {
  const look = renderOptions(context);
  const decisions = job.result?.decisions ?? [];
  const more = decisions.length === 0 ? '' : `\n${formatDecisions(decisions, look)}\n`;
  if (json) printJson(context, job);
  else context.terminal.out(`${jobCard(job, shortId(job.id), look)}\n${more}`);
}

async function cancel(job: Job, client: Client, { json }: JobsOptions, context: CommandContext): Promise<void> {
  if (!isOpen(job)) throw new CommandFailure(EXIT.failed, `The job has already ended: it is ${job.state}.`);
  await client.jobs.delete(job.id);
  if (json) printJson(context, { id: job.id, cancelled: true });
  else context.terminal.out('Canceled. What the job has stored stays.\n');
}
