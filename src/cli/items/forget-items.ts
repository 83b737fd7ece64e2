import { Command } from 'commander';
import type { Client, WithResponse } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
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
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';
import { wrap } from '../memory/terminal-text.ts';
import type { ItemKind } from './item-kind.ts';
import { titledCard } from './titled-card.ts';

interface ForgetOptions extends CommonOptions {
  yes?: true;
}

/** The subcommand `forget`: erases items permanently, after showing them. */
export function forgetItemsCommand<Item extends { id: string; title: string | null }>(
  context: CommandContext,
  kind: ItemKind<Item>,
): Command {
  const { many } = kind.id;
  return new Command('forget')
    .description(`erase ${many} permanently`)
    .argument('<id...>', 'their ids, or the parts shown in lists')
    .option('-y, --yes', 'do not ask for confirmation')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', helpOf(kind))
    .action(async (typed: string[], options: ForgetOptions) => {
      if (!options.yes && !context.input.isTty) {
        throw new CommandFailure(
          EXIT.usage,
          'Cannot ask for confirmation: input is not a terminal. Pass --yes to skip it.',
        );
      }
      const client = await openClient(context, options, { retries: 5 });
      const recentIds = createRecentIds(context.settingsFolder);
      const ids = new Set<string>();
      // Every id is resolved before anything is erased, so that one mistyped id stops the whole command.
      for (const text of typed) ids.add(await findId(text, client, recentIds, kind.id));
      if (options.yes) for (const id of ids) await kind.delete(client, id);
      else await askAndForget(ids, { client, kind, context });
      if (options.json) printJson(context, { data: [...ids].map((id) => ({ id, deleted: true })) });
      else context.terminal.out(ids.size === 1 ? 'Forgotten.\n' : `${ids.size} ${many} forgotten.\n`);
    });
}

function helpOf<Item extends { id: string; title: string | null }>({ id, forgetText }: ItemKind<Item>): string {
  return `
${wrap(forgetText, 80).join('\n')}
Asks first; --yes skips the question and is required when input is not a terminal.

Examples:
  $ svc ${id.many} forget 5b7c90ae
  $ svc ${id.many} --user trial --all | cut -f1 | xargs svc ${id.many} forget --yes`;
}

interface Question<Item extends { id: string; title: string | null }> {
  client: Client;
  kind: ItemKind<Item>;
  context: CommandContext;
}

async function askAndForget<Item extends { id: string; title: string | null }>(
  ids: ReadonlySet<string>,
  question: Question<Item>,
): Promise<void> {
  const { client, kind } = question;
  const found: WithResponse<Item>[] = [];
  for (const id of ids) found.push(await kind.get(client, id).withResponse());
  if (!(await isConfirmed(found, question))) throw new CommandFailure(EXIT.failed, 'Nothing was forgotten.');
  for (const item of found) await forget(item, question);
}

async function isConfirmed<Item extends { id: string; title: string | null }>(
  found: readonly WithResponse<Item>[],
  { kind, context }: Question<Item>,
): Promise<boolean> {
  const look = renderOptions(context);
  const labels = shortIds(found.map(({ data }) => data.id));
  const cards = found.map(({ data }) =>
    titledCard({ label: labels.get(data.id)!, title: data.title, facts: kind.facts(data, look.nowMs) }, look),
  );
  const warning = wrap(kind.forgetText, look.columns).join('\n');
  context.terminal.error(`${cards.join('\n')}\n\n${warning}\n`);
  const what = found.length === 1 ? `this ${kind.id.one}` : `these ${found.length} ${kind.id.many}`;
  const answer = await context.input.ask(`Forget ${what} permanently? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

/** Erases the item only if it is still the version that was shown. */
async function forget<Item extends { id: string; title: string | null }>(
  { data, response }: WithResponse<Item>,
  { client, kind }: Question<Item>,
): Promise<void> {
  try {
    await kind.delete(client, data.id, { ifMatch: response.etag });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
    const message = `${data.id} changed in the meantime, so it was not erased. Run the command again to review it.`;
    throw new CommandFailure(EXIT.failed, message);
  }
}
