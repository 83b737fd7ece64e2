import { Command } from 'commander';
import type { ApiPromise, ChangeOptions, Client, WithResponse } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { requireTerminal, requireYes, YES_OPTION } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { findId, type IdKind } from '../memory/find-id.ts';
import type { RenderOptions } from '../memory/memory-card.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';

/** A kind of item that can be erased by id. */
export interface Forgettable<Item extends { id: string }> {
  id: IdKind;
  get(client: Client, id: string): ApiPromise<Item>;
  delete(client: Client, id: string, options?: ChangeOptions): ApiPromise<void>;
  /** What the user sees before the question; `labels` has the short id of each item. */
  show(items: readonly Item[], labels: ReadonlyMap<string, string>, look: RenderOptions): string;
}

interface ForgetOptions extends CommonOptions {
  yes?: true;
}

/** The command `forget`: erases items permanently, after showing them. */
export function forgetCommandOf<Item extends { id: string }>(
  context: CommandContext,
  kind: Forgettable<Item>,
  help: string,
): Command {
  const { many } = kind.id;
  return new Command('forget')
    .description(`erase ${many} permanently`)
    .argument('<id...>', 'their ids, or the parts shown in lists')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', help)
    .action(async (typed: string[], options: ForgetOptions) => {
      if (!options.yes) requireTerminal(context.input);
      const client = await openClient(context, options, { retries: 5 });
      const recentIds = createRecentIds(context.settingsFolder);
      const ids = new Set<string>();
      for (const text of typed) ids.add(await findId(text, client, recentIds, kind.id));
      // Every item is read before anything is erased, so that one mistyped id stops the whole command.
      const found: WithResponse<Item>[] = [];
      for (const id of ids) found.push(await kind.get(client, id).withResponse());
      if (!options.yes) await requireConsent(found, kind, context);
      await forgetEach(
        found,
        (item) => (options.yes ? kind.delete(client, item.data.id) : forget(client, kind, item)),
        {
          context,
          many,
        },
      );
      if (options.json) printJson(context, { data: [...ids].map((id) => ({ id, deleted: true })) });
      else context.terminal.out(ids.size === 1 ? 'Forgotten.\n' : `${ids.size} ${many} forgotten.\n`);
    });
}

async function requireConsent<Item extends { id: string }>(
  found: readonly WithResponse<Item>[],
  kind: Forgettable<Item>,
  context: CommandContext,
): Promise<void> {
  const items = found.map(({ data }) => data);
  context.terminal.error(kind.show(items, shortIds(items.map(({ id }) => id)), renderOptions(context)));
  const what = found.length === 1 ? `this ${kind.id.one}` : `these ${found.length} ${kind.id.many}`;
  await requireYes(context.input, `Forget ${what} permanently?`, 'Nothing was forgotten.');
}

/** Says how many are gone if one cannot be erased. */
async function forgetEach<T>(
  items: readonly T[],
  erase: (item: T) => PromiseLike<void>,
  { context, many }: { context: CommandContext; many: string },
): Promise<void> {
  let erased = 0;
  try {
    for (const item of items) {
      await erase(item);
      erased += 1;
    }
  } catch (error) {
    if (erased > 0) context.terminal.error(`${erased} of ${items.length} ${many} were forgotten, then this failed:\n`);
    throw error;
  }
}

/** Erases the item only if it is still the version that was shown. */
async function forget<Item extends { id: string }>(
  client: Client,
  kind: Forgettable<Item>,
  { data, response }: WithResponse<Item>,
): Promise<void> {
  try {
    await kind.delete(client, data.id, { ifMatch: response.etag });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
    const message = `${data.id} changed in the meantime, so it was not erased. Run the command again to review it.`;
    throw new CommandFailure(EXIT.failed, message);
  }
}
