import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Topic, TopicChange, TopicDetails } from '../../contract/topics.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  collect,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { oneLine } from '../memory/terminal-text.ts';
import { findTopic, isSameName } from '../topics/find-topic.ts';
import { shownMemories, topicLine, topicMemoryRows, topicPage } from '../topics/topic-text.ts';

interface TopicOptions extends CommonOptions {
  user?: string;
  rename?: string;
  alias?: string[];
  noAlias?: string[];
  merge?: string;
  split?: string[];
  hide?: true;
  show?: true;
}

const HELP = `
A name is enough, in part if only one topic has it. When output is not a terminal,
it prints one line per memory with tab-separated fields: now or before, id, time,
valid until, replaced by, content.

A name that is taken away with --no-alias or --split becomes a separate topic if
memories mention it. Hidden topics are left out of lists and the profile.

Examples:
  $ svc topic Ada Lovelace
  $ svc topic ada --rename "Ada King" --alias countess
  $ svc topic Postgres --merge PostgreSQL
  $ svc topic Postgres --split PostgreSQL
  $ svc topic Monday --hide`;

/** `svc topic`: shows what holds of a topic and what was before, or changes its names. */
export function topicCommand(context: CommandContext): Command {
  return new Command('topic')
    .description('show what is known of a topic, or change its names')
    .argument('<name...>', 'its name or id')
    .option('--user <name>', 'whose topic, if the account serves several users')
    .option('--rename <name>', 'give it another name; the one before stays an alias')
    .option('--alias <name>', 'another name by which memories mention it; repeatable', collect)
    .addOption(withoutNegation('--no-alias <name>', 'take another name away; repeatable'))
    .addOption(new Option('--merge <topic>', 'another topic that becomes part of this one').conflicts(OTHER_CHANGES))
    .addOption(
      new Option('--split <name>', 'make this name of it a separate topic; repeatable')
        .argParser(collect)
        .conflicts([...OTHER_CHANGES, 'merge']),
    )
    .addOption(new Option('--hide', 'leave it out of lists and the profile').conflicts('show'))
    .option('--show', 'show it again after --hide')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: TopicOptions) => {
      const client = await openClient(context, options);
      const id = await findTopic(words.join(' '), client, options.user);
      const { data: topic, response } = await client.topics.get(id).withResponse();
      const { merge, split } = options;
      if (merge !== undefined) return mergeInto(topic, merge, client, { options, context });
      if (split !== undefined) return splitOff(topic, split, client, { options, context });
      const change = changeOf(topic, options);
      if (Object.keys(change).length === 0) return show(topic, options, context);
      const changed = await client.topics.update(id, change, { ifMatch: response.etag });
      print(changed, topicLine(changed), { options, context });
    });
}

const OTHER_CHANGES = ['rename', 'alias', 'noAlias', 'hide', 'show'];

/** An option that begins with `--no-` and has a value, which commander would take for the negation of another. */
function withoutNegation(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser(collect);
  option.negate = false;
  return option;
}

function changeOf(topic: TopicDetails, { rename, alias = [], noAlias = [], hide, show: isShown }: TopicOptions) {
  const change: TopicChange = {};
  if (rename !== undefined) change.name = rename;
  if (alias.length > 0 || noAlias.length > 0) change.aliases = aliasesOf(topic, { rename, alias, noAlias });
  if (hide || isShown) change.hidden = hide === true;
  return change;
}

function aliasesOf(
  { name, aliases }: TopicDetails,
  { rename, alias, noAlias }: { rename: string | undefined; alias: string[]; noAlias: string[] },
): string[] {
  const has = (names: readonly string[], one: string) => names.some((other) => isSameName(other, one));
  // The name before stays an alias.
  const before = rename === undefined || isSameName(rename, name) ? aliases : [name, ...aliases];
  const unknown = noAlias.find((one) => !has(before, one));
  if (unknown !== undefined) {
    throw new CommandFailure(EXIT.failed, `${JSON.stringify(oneLine(unknown))} is not another name of this topic.`);
  }
  const all = [...before.filter((one) => !has(noAlias, one)), ...alias];
  return all.filter((one, index) => !has(all.slice(0, index), one));
}

interface Asked {
  options: TopicOptions;
  context: CommandContext;
}

async function mergeInto(topic: TopicDetails, typed: string, client: Client, asked: Asked): Promise<void> {
  const other = await findTopic(typed, client, topic.user);
  const merged = await client.topics.merge(topic.id, [other]);
  print(merged, topicLine(merged), asked);
}

async function splitOff(topic: TopicDetails, names: string[], client: Client, asked: Asked): Promise<void> {
  const own = await client.topics.split(topic.id, { aliases: names });
  print(own, `${topicLine(own)} (${own.id})`, asked);
}

function print(topic: Topic, line: string, { options, context }: Asked): void {
  if (options.json) printJson(context, topic);
  else context.terminal.out(`${line}\n`);
}

async function show(topic: TopicDetails, options: TopicOptions, context: CommandContext): Promise<void> {
  const { terminal, settingsFolder } = context;
  if (options.json) return printJson(context, topic);
  if (!terminal.isTty) {
    return terminal.out(
      topicMemoryRows(topic)
        .map((row) => `${row}\n`)
        .join(''),
    );
  }
  terminal.out(`${topicPage(topic, renderOptions(context))}\n`);
  await createRecentIds(settingsFolder).remember(shownMemories(topic));
}
