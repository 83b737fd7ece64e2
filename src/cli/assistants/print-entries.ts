import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { type Assistant, type DesiredEntry, renderEntry } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { createEntryBuilder, type EntryOptions, type McpConfigContext } from './build-entry.ts';
import { EXTRAS } from './extra-table.ts';
import { tildify } from './outcome.ts';
import { selectAssistants } from './select-assistants.ts';
import { addEntry } from './write-entry.ts';

/** Printed in place of the key, unless `--show-key` is given. */
const KEY_PLACEHOLDER = 'svc_live_<your key>';

export interface PrintOptions extends EntryOptions {
  showKey: boolean;
  instructions: boolean;
  hooks: boolean;
}

/** Runs `--print`: prints each entry as a complete file, for users who edit their configuration themselves. */
export async function printEntries(
  names: readonly string[],
  options: PrintOptions,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const found = await selectAssistants(names, options.scope, context);
  const assistants = found.length > 0 ? found : ASSISTANTS.filter(({ files }) => files[options.scope]);
  const buildEntry = createEntryBuilder(options, context);
  const printed: { client: string; path: string; text: string }[] = [];
  for (const assistant of assistants) {
    const built = await buildEntry(assistant);
    if ('unsupported' in built) {
      if (names.length > 0) throw new CommandFailure(EXIT.usage, `${built.unsupported}.`);
      output.note(`- ${built.unsupported}`);
      continue;
    }
    const entry = options.showKey ? built.entry : redactKey(built.entry);
    const path = assistant.files[options.scope]!(context.environment)[0]!;
    printed.push({ client: assistant.id, path, text: renderFile(assistant, options, entry) });
    for (const extra of EXTRAS.filter(({ option }) => options[option])) {
      const extraPath = extra.path(assistant, options.scope, context.environment);
      if (extraPath === undefined) continue;
      const write = await extra.writer(assistant, options.scope, context);
      printed.push({ client: assistant.id, path: extraPath, text: write('') });
    }
  }
  writeResult(printed, context, output);
  output.data({ data: printed });
}

function redactKey(entry: DesiredEntry): DesiredEntry {
  return entry.transport === 'http' && 'literal' in entry.key ? { ...entry, key: { literal: KEY_PLACEHOLDER } } : entry;
}

function renderFile(assistant: Assistant, { scope }: PrintOptions, entry: DesiredEntry): string {
  return addEntry(assistant, scope, '', renderEntry(assistant, entry)!);
}

/** Prints a single entry without a heading, so that it can be piped; several get their path as a heading. */
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
