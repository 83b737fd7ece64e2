import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Conversation, Message } from '../../contract/conversations.ts';
import type { MessagePart } from '../../contract/message-content.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { CommandContext } from '../command-context.ts';
import { collectItems } from '../items/list-items.ts';
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
import { CONVERSATION, findId } from '../memory/find-id.ts';
import { dateFormat, dayNumber, formatClockTime, localDay } from '../memory/local-day.ts';
import type { RenderOptions } from '../memory/memory-card.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { oneLine, printable, truncate, wrap } from '../memory/terminal-text.ts';
import { formatCount } from '../number-format.ts';
import { conversationFacts } from './conversation-kind.ts';

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
const MARGIN = '  ';
const DATE = dateFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/**
 * Formats messages as a dialogue: the day where it changes, the speaker with the time, and the text below. `previous` is
 * the message shown before them, if any.
 */
function formatDialogue(messages: readonly Message[], look: RenderOptions, previous?: Message): string {
  let day = previous && dayOf(previous);
  return messages
    .map((message) => {
      const heading = dayOf(message) === day ? '' : `${look.style.dim(DATE(momentOf(message)))}\n\n`;
      day = dayOf(message);
      return `${heading}${formatMessage(message, look)}\n`;
    })
    .join('\n');
}

const momentOf = ({ createdAt }: Message) => parseTimestamp(createdAt) ?? 0;
const dayOf = (message: Message) => dayNumber(localDay(momentOf(message)));

function formatMessage(message: Message, { columns, style }: RenderOptions): string {
  const width = Math.max(16, Math.min(columns, MAX_WIDTH) - MARGIN.length);
  const { role, name, content, author } = message;
  const speaker = truncate(name === null ? role : `${oneLine(name)} (${role})`, width - 7);
  const parts: readonly MessagePart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const lines = parts.flatMap((part) =>
    part.type === 'text'
      ? wrap(printable(part.text), width)
      : [style.dim(truncate(oneLine(printable(describePart(part))), width))],
  );
  const by = author === null ? '' : ` by ${printable(author)}`;
  const head = `${style.bold(printable(speaker))}  ${style.dim(formatClockTime(momentOf(message)) + by)}`;
  return [head, ...lines.map((line) => (line === '' ? '' : MARGIN + line))].join('\n');
}

/** A part other than text, for one line. */
function describePart(part: Exclude<MessagePart, { type: 'text' }>): string {
  if (part.type === 'tool_call') return `calls ${part.name} ${asText(part.arguments)}`;
  if (part.type === 'tool_result') return `result ${asText(part.content)}`;
  return `image ${part.url.startsWith('data:') ? `in the message (${part.url.length} characters)` : part.url}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

interface ShowOptions extends CommonOptions {
  limit: number;
  all?: true;
}

const HELP = `
Shows the latest messages in the order they were said. Tool calls, their results
and images take one line each; --json has them in full.

Examples:
  $ svc conversations show 5b7c90ae
  $ svc conversations show 5b7c90ae --all | less`;

/** `svc conversations show`: prints a conversation as a dialogue. */
export function showConversationCommand(context: CommandContext): Command {
  return new Command('show')
    .description('show a conversation as a dialogue')
    .argument('<id>', 'its id, or the part shown in lists')
    .option('--limit <count>', 'how many of the latest messages to show', parseCount, 50)
    .option('--all', 'show all messages')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: ShowOptions) => {
      const client = await openClient(context, options);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder), CONVERSATION);
      const conversation = await client.conversations.get(id);
      if (options.json) {
        const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
        return printJson(context, { ...conversation, messages: await latest(id, limit, client) });
      }
      printHead(conversation, context);
      if (options.all) await printAll(id, client, context);
      else await printLatest(conversation, options.limit, client, context);
    });
}

function printHead(conversation: Conversation, context: CommandContext): void {
  const { style, columns, nowMs } = renderOptions(context);
  const title = wrap(printable(conversation.title ?? 'Untitled'), columns).map(style.bold);
  const facts = [conversation.id, ...conversationFacts(conversation, nowMs).map(printable)];
  context.terminal.out(`${[...title, ...wrap(facts.join(' · '), columns).map(style.dim)].join('\n')}\n`);
}

/** Reads the latest messages and returns them oldest first. */
async function latest(id: string, limit: number, client: Client): Promise<Message[]> {
  const { data } = await collectItems((query) => client.conversations.messages.list(id, query), limit);
  return data.reverse();
}

async function printLatest(
  { id, messageCount }: Conversation,
  limit: number,
  client: Client,
  context: CommandContext,
): Promise<void> {
  const look = renderOptions(context);
  const messages = await latest(id, limit, client);
  const earlier = messageCount - messages.length;
  const count = `${formatCount(earlier)} earlier message${earlier === 1 ? '' : 's'}`;
  const note = wrap(`${count}: --limit ${limit * 5}, or --all`, look.columns).join('\n');
  context.terminal.out(earlier > 0 ? `\n${look.style.dim(note)}\n` : '');
  if (messages.length > 0) context.terminal.out(`\n${formatDialogue(messages, look)}`);
}

/** Prints page by page: a conversation can have millions of messages. */
async function printAll(id: string, client: Client, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const look = renderOptions(context);
  let previous: Message | undefined;
  let cursor: string | null = null;
  do {
    const page: { data: Message[]; nextCursor: string | null } = await client.conversations.messages.list(id, {
      order: 'oldest',
      limit: 200,
      ...(cursor !== null && { cursor }),
    });
    if (page.data.length > 0) terminal.out(`\n${formatDialogue(page.data, look, previous)}`);
    previous = page.data.at(-1);
    cursor = page.nextCursor;
  } while (cursor !== null && !terminal.closed.aborted);
}
