import type { Client, Memory } from '../../client/client.ts';
import { printJson, renderOptions } from '../memory/command-options.ts';
import { pluralize } from '../memory/import-report.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { formatCount } from '../number-format.ts';
import { type AssistantOptions, type AssistantParts, reportRun, runAssistant } from './run-assistant.ts';

/** Whose conversations to read, and after which time. */
interface ExtractScope {
  user?: string;
  project?: string;
  after?: string;
}

export type ExtractWithOptions = AssistantOptions & ExtractScope;

/** Memories that are shown; the others are in the list. */
const MAX_SHOWN = 20;

/** Runs an assistant with the tools to extract memories from conversations, and shows what was stored. */
export async function extractWith(
  options: ExtractWithOptions,
  { client, ...parts }: AssistantParts & { client: Pick<Client, 'memories'> },
): Promise<void> {
  const { context } = parts;
  const { user, project, after } = options;
  const whose = { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
  const scope = { ...whose, ...(after !== undefined && { after }) };
  const session = await context.session(options.profile, options.space);
  const { data } = await client.memories.list({ user: user ?? 'default', includeSuperseded: true, limit: 1 });
  const run = await runAssistant(
    options,
    {
      ...{ task: 'extract', session, scope, given: ['memory', 'memories', 'found'] },
      hasWork: async (daemon) => (await daemon.read(scope))?.portion !== null,
    },
    parts,
  );
  if (run === undefined) {
    if (options.json) return printJson(context, { assistant: options.with, newMemories: [], stopped: null });
    const within = after === undefined ? 'in the last 7 days; --after reads further back' : `after ${after}`;
    return context.terminal.out(`Nothing to read: nothing new was said ${within}.\n`);
  }
  const stored = await extractedAfter(data[0]?.id ?? '', client, whose);
  const newMemories = stored.map(({ id }) => id);
  await createRecentIds(context.settingsFolder).remember(newMemories);
  await reportRun(run, options, { context, brought: { newMemories }, describe: () => describe(stored, context) });
}

/** Finds the memories that were extracted after another one was stored, oldest first. */
async function extractedAfter(
  lastId: string,
  client: Pick<Client, 'memories'>,
  { user = 'default', project }: ExtractScope,
): Promise<Memory[]> {
  const found: Memory[] = [];
  const filter = { user, ...(project !== undefined && { project }), includeSuperseded: true, limit: 200 };
  for await (const memory of client.memories.list(filter)) {
    if (memory.id <= lastId) break;
    if (memory.origin === 'extraction') found.unshift(memory);
  }
  return found;
}

function describe(stored: readonly Memory[], context: AssistantParts['context']): string {
  if (stored.length === 0) return 'No memory is new.';
  const { columns, style } = renderOptions(context);
  const shown = stored.slice(-MAX_SHOWN);
  const labels = shortIds(shown.map(({ id }) => id));
  const lines = shown.map(({ id, content }) => {
    const label = labels.get(id)!;
    const [first = '', ...rest] = wrap(printable(content), Math.max(16, Math.min(columns, 100) - label.length - 2));
    return [`${style.bold(label)}  ${first}`, ...rest.map((line) => ' '.repeat(label.length + 2) + line)].join('\n');
  });
  const more =
    stored.length > shown.length ? [style.dim(`and ${formatCount(stored.length - shown.length)} more: svc list`)] : [];
  const total = `${pluralize(stored.length, 'memory', 'memories')} ${stored.length === 1 ? 'is' : 'are'} new:`;
  return [total, ...lines, ...more].join('\n');
}
