import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { type Assistant, type DesiredEntry, spell } from './assistant.ts';
import { chosenAssistants } from './assistant-choice.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { shortPath } from './outcome.ts';
import { createEntryMaker, type EntryChoice, type McpConfigContext } from './wanted-entry.ts';
import { addEntry } from './write-entry.ts';

/** What stands for the key where it is not asked for by name. */
const PLACEHOLDER = 'svc_live_<your key>';

export interface PrintChoice extends EntryChoice {
  showKey: boolean;
}

/** `--print`: the entry of each client as a file with nothing else in it, for those who write their files themselves. */
export async function printEntries(
  names: readonly string[],
  choice: PrintChoice,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const found = await chosenAssistants(names, choice.scope, context);
  const clients = found.length > 0 ? found : ASSISTANTS.filter(({ files }) => files[choice.scope]);
  const wanted = createEntryMaker(choice, context);
  const printed: { client: string; path: string; text: string }[] = [];
  for (const client of clients) {
    const made = await wanted(client);
    if ('refused' in made) {
      if (names.length > 0) throw new CommandFailure(EXIT.usage, `${made.refused}.`);
      output.note(`- ${made.refused}`);
      continue;
    }
    const entry = choice.showKey ? made.entry : withoutKey(made.entry);
    const path = client.files[choice.scope]!(context.environment)[0]!;
    printed.push({ client: client.id, path, text: textOf(client, choice, entry) });
  }
  tell(printed, context, output);
  output.data({ data: printed });
}

function withoutKey(entry: DesiredEntry): DesiredEntry {
  return entry.transport === 'http' && 'literal' in entry.key ? { ...entry, key: { literal: PLACEHOLDER } } : entry;
}

function textOf(client: Assistant, { scope }: PrintChoice, entry: DesiredEntry): string {
  return addEntry(client, scope, '', spell(client, entry)!);
}

/** One client's entry is on standard output alone, so that it can be piped; several are told apart. */
function tell(printed: { path: string; text: string }[], { environment }: McpConfigContext, output: Output): void {
  const [only, ...others] = printed.map(({ path, text }) => ({
    path: shortPath(path, environment.home),
    text: text.trimEnd(),
  }));
  if (only === undefined) return;
  if (others.length > 0) for (const { path, text } of [only, ...others]) output.line(`# ${path}\n${text}\n`);
  else {
    if (!output.json) output.note(`For ${only.path}:`);
    output.line(only.text);
  }
}
