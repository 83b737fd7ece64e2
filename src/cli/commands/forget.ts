import { Command } from 'commander';
import type { Client, WithResponse } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Memory } from '../../contract/memories.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
} from '../memory/command-options.ts';
import { findId } from '../memory/find-id.ts';
import { memoryCard } from '../memory/memory-card.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';

interface ForgetOptions extends CommonOptions {
  yes?: true;
}

const HELP = `
Shows what will be erased and asks first. --yes skips the question and is
required when input is not a terminal. A forgotten memory is gone with all its
versions; to replace one and keep its history, use svc add --supersedes.

Examples:
  $ svc forget 8c1f04d2
  $ svc list --tag trial --all | cut -f1 | xargs svc forget --yes`;

/** `svc forget`: erases memories permanently, after showing them. */
export function forgetCommand(context: CommandContext): Command {
  return new Command('forget')
    .description('erase memories permanently')
    .argument('<id...>', 'their ids, or the parts shown in lists')
    .option('-y, --yes', 'do not ask for confirmation')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string[], options: ForgetOptions) => {
      if (!options.yes && !context.input.isTty) {
        throw new CommandFailure(
          EXIT.usage,
          'Cannot ask for confirmation: input is not a terminal. Pass --yes to skip it.',
        );
      }
      const client = await openClient(context, options, { retries: 5 });
      const ids = await findAll(typed, client, context);
      if (options.yes) for (const id of ids) await client.memories.delete(id);
      else await askAndForget(ids, client, context);
      if (options.json) printJson(context, { data: ids.map((id) => ({ id, deleted: true })) });
      else context.terminal.out(ids.length === 1 ? 'Forgotten.\n' : `${ids.length} memories forgotten.\n`);
    });
}

/** Resolves every id before anything is erased, so that one mistyped id stops the whole command. */
async function findAll(typed: string[], client: Client, { settingsFolder }: CommandContext): Promise<string[]> {
  const recentIds = createRecentIds(settingsFolder);
  const ids = new Set<string>();
  for (const text of typed) ids.add(await findId(text, client, recentIds));
  return [...ids];
}

async function askAndForget(ids: readonly string[], client: Client, context: CommandContext): Promise<void> {
  const found: WithResponse<Memory>[] = [];
  for (const id of ids) found.push(await client.memories.get(id).withResponse());
  if (!(await isConfirmed(found, context))) throw new CommandFailure(EXIT.failed, 'Nothing was forgotten.');
  for (const memory of found) await forget(client, memory);
}

async function isConfirmed(found: readonly WithResponse<Memory>[], context: CommandContext): Promise<boolean> {
  const look = renderOptions(context);
  const labels = shortIds(found.map(({ data }) => data.id));
  const cards = found.map(({ data }) => memoryCard(data, { label: labels.get(data.id)! }, look));
  context.terminal.error(`${cards.join('\n\n')}\n\n`);
  const what = found.length === 1 ? 'this memory' : `these ${found.length} memories`;
  const answer = await context.input.ask(`Forget ${what} permanently? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

/** Erases the memory only if it is still the version that was shown. */
async function forget(client: Client, { data, response }: WithResponse<Memory>): Promise<void> {
  try {
    await client.memories.delete(data.id, { ifMatch: response.etag });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
    throw new CommandFailure(
      EXIT.failed,
      `${data.id} changed in the meantime, so it was not erased. Run svc forget again to review it.`,
    );
  }
}
