import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Job } from '../../contract/jobs.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { nameOf } from '../items/item-kind.ts';
import { followJob } from '../jobs/follow-job.ts';
import { describeError } from '../jobs/job-lines.ts';
import { printOutcome } from '../jobs/print-outcome.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { CONVERSATION, findId } from '../memory/find-id.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortId } from '../memory/short-id.ts';
import { oneLine, printable, truncate } from '../memory/terminal-text.ts';
import type { ChecklistRow } from '../ui/mcp-checklist.tsx';
import { promptRows, type RowPrompt } from '../ui/prompt-rows.ts';
import { conversationFacts } from './conversation-kind.ts';

export type ExtractionContext = CommandContext & Pick<RowPrompt, 'screen'>;

/** As many as fit on a screen; older ones are extracted by id. */
const ROWS = 20;
const MAX_TITLE_WIDTH = 36;

const HELP = `
Without ids, lets you choose from the ${ROWS} newest conversations. Queues a job for each,
waits until all have ended and shows what was found. Exits with 1 if one failed.
svc extract has more options.

Examples:
  $ svc conversations extract
  $ svc conversations extract 5b7c90ae 8c1f04d2 --json`;

/** `svc conversations extract`: extracts memories from the conversations that are named or picked. */
export function extractConversationsCommand(context: ExtractionContext): Command {
  return new Command('extract')
    .description('extract memories from conversations with your own model')
    .argument('[id...]', 'their ids, or the parts shown in lists')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string[], options: CommonOptions) => {
      if (typed.length === 0 && !context.input.isTty) {
        const message =
          'Cannot ask which conversations: input is not a terminal. Name them; svc conversations lists them.';
        throw new CommandFailure(EXIT.usage, message);
      }
      const client = await openClient(context, options, { retries: 5 });
      const recentIds = createRecentIds(context.settingsFolder);
      const ids = new Set<string>();
      for (const text of typed) ids.add(await findId(text, client, recentIds, CONVERSATION));
      const chosen = typed.length > 0 ? [...ids] : await pick(client, context);
      const jobIds: string[] = [];
      for (const id of chosen) jobIds.push((await client.conversations.extract(id)).jobId);
      await recentIds.remember(jobIds);
      await followAll(jobIds, client, options, context);
    });
}

async function pick(client: Client, context: ExtractionContext): Promise<string[]> {
  const { data } = await client.conversations.list({ limit: ROWS });
  const width = Math.min(MAX_TITLE_WIDTH, Math.floor(context.terminal.columns / 2));
  const rows = data
    .filter(({ messageCount }) => messageCount > 0)
    .map(
      (conversation): ChecklistRow => ({
        id: conversation.id,
        title: truncate(oneLine(printable(nameOf(conversation) ?? `untitled ${shortId(conversation.id)}`)), width),
        about: conversationFacts(conversation, context.clock.nowMs()).map(printable).join(' · '),
        state: 'open',
      }),
    );
  if (rows.length === 0) throw new CommandFailure(EXIT.failed, 'No conversations with messages yet.');
  const ids = await promptRows('Extract memories from which conversations?', rows, context);
  if (ids === undefined) throw new CommandFailure(EXIT_INTERRUPTED, 'Nothing was extracted.');
  if (ids.length === 0) throw new CommandFailure(EXIT.failed, 'None was chosen, so nothing was extracted.');
  return ids;
}

/** Follows the jobs, which run meanwhile, one after the other. A failed one does not stop the others. */
async function followAll(
  jobIds: readonly string[],
  client: Client,
  options: CommonOptions,
  context: CommandContext,
): Promise<void> {
  const { terminal, clock } = context;
  const jobs: Job[] = [];
  for (const id of jobIds) {
    const job = await followJob(id, { client, context, progress: createProgressLine(context, options) });
    jobs.push(job);
    if (options.json) continue;
    if (jobIds.length > 1) terminal.out(`Conversation ${shortId(job.conversationId!)}:\n`);
    if (job.result !== null) await printOutcome(job, context);
    const reason = job.error === null ? `The job was ${job.state}.` : describeError(job, clock.nowMs());
    if (job.state !== 'done') terminal.error(`svc: ${reason}\n`);
  }
  if (options.json) printJson(context, { data: jobs });
  if (jobs.some(({ state }) => state !== 'done')) throw new CommandFailure(EXIT.failed);
}
