import { Command } from 'commander';
import type { Client, Tagged } from '../../client/client.ts';
import { AppError } from '../../contract/errors.ts';
import type { Memory, MemoryChange } from '../../contract/memories.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  collect,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  parseMetadata,
  printJson,
} from '../memory/command-options.ts';
import { type Draft, editText } from '../memory/editor.ts';
import { findId } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortId } from '../memory/short-id.ts';
import { parseTime, type TimeDirection } from '../memory/time-option.ts';
import { withDraftPath } from './add.ts';

interface EditOptions extends CommonOptions {
  content?: string;
  /** `false` for `--no-tag`. */
  tag?: string[] | false;
  metadata?: Record<string, unknown>;
  occurred?: string;
  expires?: string;
}

/** Clears a time. */
const NEVER = 'never';

const HELP = `
Without options it opens the text in your editor ($VISUAL, $EDITOR). Every
change creates a version; svc show --history lists them. If the memory changed
in the meantime, nothing is overwritten.

Examples:
  $ svc edit 8c1f04d2
  $ svc edit 8c1f04d2 --content "Ada prefers green tea" --tag taste --tag tea
  $ svc edit 8c1f04d2 --expires never`;

/** `svc edit`: changes a memory by option or in the editor. */
export function editCommand(context: CommandContext): Command {
  const time = (direction: TimeDirection) => (text: string) =>
    text.trim().toLowerCase() === NEVER ? NEVER : parseTime(text, context.clock.nowMs(), direction);
  return new Command('edit')
    .description('change a memory')
    .argument('<id>', 'its id, or the part shown in lists')
    .option('--content <text>', 'the new text')
    .option('--tag <tag>', 'replace the tags; repeatable', collect)
    .option('--no-tag', 'remove all tags')
    .option('--metadata <key=value>', 'replace the metadata; repeatable', parseMetadata)
    .option('--occurred <time>', 'when it happened; never clears it', time('past'))
    .option('--expires <time>', 'when to forget it; never keeps it', time('future'))
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: EditOptions) => {
      const client = await openClient(context, options);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder));
      const before = await client.memories.read(id);
      const change = changeOf(options);
      const after =
        Object.keys(change).length > 0
          ? await send(client, before, change)
          : await editContent(client, before, context);
      if (options.json) return printJson(context, after);
      const changed = after.version > before.body.version;
      context.terminal.out(`${shortId(id)} ${changed ? `updated: version ${after.version}` : 'unchanged'}.\n`);
    });
}

function changeOf({ content, tag, metadata, occurred, expires }: EditOptions): MemoryChange {
  return {
    ...(content !== undefined && { content }),
    ...(Array.isArray(tag) && { tags: [...new Set(tag)] }),
    ...(tag === false && { tags: [] }),
    ...(metadata && { metadata }),
    ...(occurred !== undefined && { occurredAt: occurred === NEVER ? null : occurred }),
    ...(expires !== undefined && { expiresAt: expires === NEVER ? null : expires }),
  };
}

async function editContent(client: Client, before: Tagged<Memory>, context: CommandContext): Promise<Memory> {
  if (!context.input.isTty) {
    throw new CommandFailure(
      EXIT.usage,
      'Nothing to change: pass --content, --tag, --metadata, --occurred or --expires.',
    );
  }
  const draft: Draft = await editText(before.body.content, context.environment);
  const unchanged = draft.text === before.body.content || draft.text.trim() === '';
  const after = unchanged
    ? before.body
    : await send(client, before, { content: draft.text }).catch((error: Error) => {
        throw withDraftPath(error, draft);
      });
  await draft.discard();
  return after;
}

/** Applies the change only if the memory is still the version that was read. */
async function send(client: Client, { body, etag }: Tagged<Memory>, change: MemoryChange): Promise<Memory> {
  try {
    return await client.memories.change(body.id, change, etag === undefined ? {} : { ifMatch: etag });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'precondition_failed') throw error;
    const id = shortId(body.id);
    throw new CommandFailure(
      EXIT.failed,
      `This memory changed in the meantime, so your edit was not saved. See svc show ${id}, then edit again.`,
    );
  }
}
