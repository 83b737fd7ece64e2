import type { Client } from '../../client/client.ts';
import type { Topic } from '../../contract/topics.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { oneLine } from '../memory/terminal-text.ts';

const ID = /^top_[0-9a-f]{32}$/;
/** The longest name that the API looks for. */
const MAX_NAME = 80;
const LOOKED_AT = 200;
const SHOWN = 8;

/**
 * Resolves what the user typed to the id of a topic: its id, a name or another name of it, or the beginning of a word of one
 * name only. Hidden topics are found if no other is. Throws `CommandFailure` if it means none or several.
 */
export async function findTopic(typed: string, client: Client, user: string | undefined): Promise<string> {
  const name = typed.trim();
  if (ID.test(name)) return name;
  if (name === '') throw new CommandFailure(EXIT.usage, 'Give the name or the id of a topic.');
  const query = { user, q: name.slice(0, MAX_NAME), limit: LOOKED_AT };
  const [{ data: shown }, { data: hidden }] = await Promise.all([
    client.topics.list(query),
    client.topics.list({ ...query, hidden: true }),
  ]);
  const found = [named(name, shown), named(name, hidden), shown, hidden].find((topics) => topics.length > 0) ?? [];
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1) throw new CommandFailure(EXIT.failed, ambiguousText(name, found));
  const text = `No topic${user === undefined ? '' : ` of ${oneLine(user)}`} is called ${quoted(name)}.`;
  throw new CommandFailure(EXIT.failed, `${text} Run svc topics to see them.`);
}

/** Whether two names are the same but for case. */
export function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** The topics with this name, or else with this other name. */
function named(name: string, topics: readonly Topic[]): readonly Topic[] {
  const called = topics.filter((topic) => isSameName(topic.name, name));
  return called.length > 0 ? called : topics.filter(({ aliases }) => aliases.some((alias) => isSameName(alias, name)));
}

function ambiguousText(name: string, found: readonly Topic[]): string {
  const lines = found.slice(0, SHOWN).map((topic) => `  ${oneLine(topic.name)} (${topic.id})`);
  const more = found.length > SHOWN ? `\n  and ${found.length - SHOWN} more: svc topics --query ${quoted(name)}` : '';
  return `${quoted(name)} may be one of ${found.length} topics. Did you mean:\n${lines.join('\n')}${more}`;
}

function quoted(name: string): string {
  return JSON.stringify(oneLine(name));
}
