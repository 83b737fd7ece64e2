import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { type Assistant, type DesiredEntry, renderEntry } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { createEntryBuilder, type EntryOptions, type McpConfigContext } from './build-entry.ts';
import { tildify } from './outcome.ts';
import { selectAssistants } from './select-assistants.ts';
import { addEntry } from './write-entry.ts';

/** What stands for the key where it is not asked for by name. */
const PLACEHOLDER = 'svc_live_<your key>';

export interface PrintOptions extends EntryOptions {
  showKey: boolean;
}

/** `--print`: the entry of each assistant as a file with nothing else in it, for those who write their files themselves. */
export async function printEntries(
  names: readonly string[],
  choice: PrintOptions,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const found = await selectAssistants(names, choice.scope, context);
  const assistants = found.length > 0 ? found : ASSISTANTS.filter(({ files }) => files[choice.scope]);
  const wanted = createEntryBuilder(choice, context);
  const printed: { client: string; path: string; text: string }[] = [];
  for (const assistant of assistants) {
    const made = await wanted(assistant);
    if ('refused' in made) {
      if (names.length > 0) throw new CommandFailure(EXIT.usage, `${made.refused}.`);
      output.note(`- ${made.refused}`);
      continue;
    }
    const entry = choice.showKey ? made.entry : redactKey(made.entry);
    const path = assistant.files[choice.scope]!(context.environment)[0]!;
    printed.push({ client: assistant.id, path, text: renderFile(assistant, choice, entry) });
  }
  writeResult(printed, context, output);
  output.data({ data: printed });
}

function redactKey(entry: DesiredEntry): DesiredEntry {
  return entry.transport === 'http' && 'literal' in entry.key ? { ...entry, key: { literal: PLACEHOLDER } } : entry;
}

function renderFile(assistant: Assistant, { scope }: PrintOptions, entry: DesiredEntry): string {
  return addEntry(assistant, scope, '', renderEntry(assistant, entry)!);
}

/** One assistant's entry is on standard output alone, so that it can be piped; several are told apart. */
function writeResult(
  printed: { path: string; text: string }[],
  { environment }: McpConfigContext,
  output: Output,
): void {
  const [only, ...others] = printed.map(({ path, text }) => ({
    path: tildify(path, environment.home),
    text: text.trimEnd(),
  }));
  if (only === undefined) return;
  if (others.length > 0) for (const { path, text } of [only, ...others]) output.line(`# ${path}\n${text}\n`);
  else {
    if (!output.json) output.note(`For ${only.path}:`);
    output.line(only.text);
  }
}
