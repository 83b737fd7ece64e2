import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import type { ChecklistRow } from '../ui/mcp-checklist.tsx';
import { promptRows } from '../ui/prompt-rows.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS, findAssistant } from './assistant-table.ts';
import type { McpConfigContext } from './build-entry.ts';
import { findInstalledAssistants } from './inspect-assistants.ts';
import { describePlan, type Outcome, tildify } from './outcome.ts';
import type { ChangePlan } from './plan-change.ts';

/** Returns the named assistants, or else the installed ones that support the scope. */
export async function selectAssistants(
  names: readonly string[],
  scope: Scope,
  { environment }: McpConfigContext,
): Promise<Assistant[]> {
  const named = names.map(requireAssistant);
  const unsupported = named.find(({ files }) => !files[scope]);
  if (unsupported) throw new CommandFailure(EXIT.usage, `${unsupported.title} does not support --scope ${scope}.`);
  if (named.length > 0) return [...new Set(named)];
  return (await findInstalledAssistants(environment)).filter(({ files }) => files[scope]);
}

function requireAssistant(name: string): Assistant {
  const assistant = findAssistant(name);
  if (assistant) return assistant;
  const known = ASSISTANTS.map(({ id }) => id).join(', ');
  throw new CommandFailure(EXIT.usage, `Unknown assistant ${name}. Choose one of ${known}.`);
}

/**
 * Asks which planned changes to apply, with a checklist, or with a numbered list for screen readers and CI. Throws if
 * input is not a terminal or the user cancels.
 */
export async function promptForAssistants(
  outcomes: readonly Outcome[],
  question: string,
  context: McpConfigContext,
): Promise<Set<string>> {
  const { input, environment } = context;
  if (!input.isTty)
    throw new CommandFailure(
      EXIT.usage,
      'Cannot ask which assistants: input is not a terminal. Name them, or pass --yes for all.',
    );
  const rows = toRows(outcomes, environment.home);
  const ids = await promptRows(question, rows, context);
  if (ids === undefined) throw new CommandFailure(EXIT_INTERRUPTED, 'Nothing was changed.');
  return new Set(ids);
}

/** Combines the outcomes of each assistant into one row. */
function toRows(outcomes: readonly Outcome[], home: string): ChecklistRow[] {
  const assistants = new Set(outcomes.map(({ assistant }) => assistant));
  return [...assistants].map((assistant) => {
    const { id, title } = assistant;
    const own = outcomes.filter((outcome) => outcome.assistant === assistant);
    const failed = own.find(({ error }) => error !== undefined);
    const changes = own.filter(hasChange);
    if (failed && changes.length === 0) return { id, title, about: tildify(failed.error!, home), state: 'error' };
    if (changes.length === 0) return { id, title, about: 'already set up', state: 'done' };
    const about = changes.map((outcome) => describePlan(outcome, home)).join(', ');
    return { id, title, about, state: 'open', chosen: changes.some(({ plan }) => plan.action === 'change') };
  });
}

function hasChange(outcome: Outcome): outcome is Outcome & { plan: ChangePlan } {
  return outcome.plan?.changed === true;
}
