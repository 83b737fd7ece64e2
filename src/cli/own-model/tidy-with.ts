import type { Client } from '../../client/client.ts';
import type { TidyWork } from '../../contract/tidy.ts';
import { printJson } from '../memory/command-options.ts';
import { pluralize } from '../memory/import-report.ts';
import {
  type AssistantOptions,
  type AssistantParts,
  reportRun,
  runAssistant,
  type TaskDaemon,
} from './run-assistant.ts';

/** Whose memories to tidy. */
interface TidyScope {
  user?: string;
  project?: string;
}

export type TidyWithOptions = AssistantOptions & TidyScope;

const LARGEST_PORTION = 50;

/** Runs an assistant with the tools to tidy memories, and says which suggestions are new. */
export async function tidyWith(
  options: TidyWithOptions,
  { client, ...parts }: AssistantParts & { client: Pick<Client, 'suggestions'> },
): Promise<void> {
  const { context } = parts;
  const { user, project } = options;
  const scope = { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
  const session = await context.session(options.profile, options.space);
  const before = await openIds(client, scope);
  const run = await runAssistant(
    options,
    {
      ...{ task: 'tidy', session, scope, given: ['change', 'changes', 'proposed'] },
      hasWork: (daemon) => hasWork(daemon, scope),
    },
    parts,
  );
  if (run === undefined) {
    if (options.json) return printJson(context, { assistant: options.with, newSuggestions: [], stopped: null });
    return context.terminal.out('Nothing to tidy: no memories are about the same.\n');
  }
  const newSuggestions = (await openIds(client, scope)).filter((id) => !before.includes(id));
  await reportRun(run, options, {
    context,
    brought: { newSuggestions },
    describe: () => newText(newSuggestions.length),
  });
}

/** Whether any memories may be about the same. */
async function hasWork(daemon: TaskDaemon, scope: TidyScope): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const work = await daemon.read({ ...scope, limit: LARGEST_PORTION, ...(cursor !== undefined && { cursor }) });
    if (work === undefined) return true;
    const { data, nextCursor } = work as unknown as TidyWork;
    if (data.length > 0) return true;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return false;
}

async function openIds(client: Pick<Client, 'suggestions'>, scope: TidyScope): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.suggestions.list({ state: 'open', by: 'assistant', limit: 200, ...scope })) {
    ids.push(id);
  }
  return ids;
}

function newText(total: number): string {
  if (total === 0) return 'No suggestion is new.';
  return `${pluralize(total, 'suggestion')} ${total === 1 ? 'is' : 'are'} new: decide with svc review.`;
}
