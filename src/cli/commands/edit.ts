import { Command } from 'commander';
import type { Client, WithResponse } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Memory, MemoryChange } from '../../contract/memories.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { type Draft, editText, withDraftPath } from '../memory/editor.ts';
import { findId } from '../memory/find-id.ts';
import { CHANGE_FLAGS, type ChangeOptions, changeOf, withChangeOptions } from '../memory/memory-options.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortId } from '../memory/short-id.ts';

type EditOptions = CommonOptions & ChangeOptions;

const HELP = `
Without options it opens the text in your editor ($VISUAL, $EDITOR). Every
change creates a version; svc show --history lists them. If the memory changed
in the meantime, nothing is overwritten.

Examples:
  $ svc edit 8c1f04d2
  $ svc edit 8c1f04d2 --content "Ada prefers green tea" --tag taste --tag tea
  $ svc edit 8c1f04d2 --expires never
  $ svc edit 8c1f04d2 --outdated`;

/** `svc edit`: changes a memory by option or in the editor. */
export function editCommand(context: CommandContext): Command {
  const command = new Command('edit')
    .description('change a memory')
    .argument('<id>', 'its id, or the part shown in lists');
  return withChangeOptions(command, context.clock.nowMs)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: EditOptions) => {
      const client = await openClient(context, options);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder));
      const before = await client.memories.get(id).withResponse();
      const change = changeOf(options, context.clock.nowMs());
      const after =
        Object.keys(change).length > 0
          ? await send(client, before, change, context)
          : await editContent(client, before, context);
      if (options.json) return printJson(context, after);
      context.terminal.out(`${shortId(id)} ${describeChange(before.data, after)}.\n`);
    });
}

function describeChange(before: Memory, after: Memory): string {
  if (after.version > before.version) return `updated to version ${after.version}`;
  if (after.validTo === before.validTo) return 'unchanged';
  return after.validTo === null ? 'is current again' : 'marked as outdated';
}

async function editContent(client: Client, before: WithResponse<Memory>, context: CommandContext): Promise<Memory> {
  if (!context.input.isTty) {
    throw new CommandFailure(EXIT.usage, `Nothing to change: pass ${CHANGE_FLAGS}.`);
  }
  const draft: Draft = await editText(before.data.content, context.environment);
  const unchanged = draft.text === before.data.content || draft.text.trim() === '';
  const after = unchanged
    ? before.data
    : await send(client, before, { content: draft.text }, context).catch((error: Error) => {
        throw withDraftPath(error, draft);
      });
  await draft.discard();
  return after;
}

/** Applies the change only if the memory is still the version that was read. */
async function send(
  client: Client,
  before: WithResponse<Memory>,
  change: MemoryChange,
  { input }: CommandContext,
): Promise<Memory> {
  const isOther = change.content !== undefined && change.content !== before.data.content;
  // Assistants run commands without a terminal.
  const said: MemoryChange = isOther && input.isTty ? { ...change, origin: 'person' } : change;
  try {
    return await client.memories.update(before.data.id, said, { ifMatch: before.response.etag });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'precondition_failed') throw error;
    const id = shortId(before.data.id);
    throw new CommandFailure(
      EXIT.failed,
      `This memory changed in the meantime, so your edit was not saved. See svc show ${id}, then edit again.`,
    );
  }
}
