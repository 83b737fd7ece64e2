import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import type { ChecklistRow } from '../ui/mcp-checklist.tsx';
import { promptRows } from '../ui/prompt-rows.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS, findAssistant } from './assistant-table.ts';
import type { McpConfigContext } from './build-entry.ts';
import { EXTRAS } from './extra-table.ts';
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
export async function promptForOutcomes(
  outcomes: readonly Outcome[],
  question: string,
  context: McpConfigContext,
): Promise<Set<Outcome>> {
  const { input, environment } = context;
  if (!input.isTty)
    throw new CommandFailure(
      EXIT.usage,
      'Cannot ask which assistants: input is not a terminal. Name them, or pass --yes for all.',
    );
  const ids = await promptRows(question, toRows(outcomes, environment.home), context);
  if (ids === undefined) throw new CommandFailure(EXIT_INTERRUPTED, 'Nothing was changed.');
  return new Set(outcomes.filter((outcome) => ids.includes(rowId(outcome))));
}

function rowId({ assistant, offered }: Outcome): string {
  return offered === undefined ? assistant.id : `${assistant.id} ${offered}`;
}

/** The headings of offers, which follow the assistants. */
const SECTIONS = {
  hooks: 'Hooks: recall and store without being asked',
  instructions: 'Instructions: tell the assistants when to use the memory',
};

/** Combines what was asked for of an assistant into one row. What is offered follows, one row for each assistant. */
function toRows(outcomes: readonly Outcome[], home: string): ChecklistRow[] {
  const ordered = [undefined, 'hooks', 'instructions'].flatMap((section) =>
    outcomes.filter(({ offered }) => offered === section),
  );
  return [...new Set(ordered.map(rowId))].map((id) => {
    const own = ordered.filter((outcome) => rowId(outcome) === id);
    return toRow(id, own as [Outcome, ...Outcome[]], home);
  });
}

function toRow(id: string, outcomes: [Outcome, ...Outcome[]], home: string): ChecklistRow {
  const [{ assistant, offered }] = outcomes;
  const named = { id, title: assistant.title, ...(offered && { section: SECTIONS[offered] }) };
  const failed = outcomes.find(({ error }) => error !== undefined);
  const changes = outcomes.filter(hasChange);
  if (failed && changes.length === 0) return { ...named, about: tildify(failed.error!, home), state: 'error' };
  if (changes.length === 0) return { ...named, about: 'already set up', state: 'done' };
  const about = changes.map((outcome) => describePlan(outcome, home)).join(', ');
  const explanation = changes.map(explain).filter(Boolean).join(' ');
  const chosen = changes.some(({ plan }) => plan.action === 'change') && offered === undefined;
  return { ...named, about, explanation, state: 'open', chosen };
}

/** Says what a change does; nothing if it removes something. */
function explain({ assistant, part, plan }: Outcome & { plan: ChangePlan }): string {
  if (plan.action === 'remove') return '';
  if (part !== 'server') return EXTRAS.find((extra) => extra.part === part)!.explain(assistant);
  return `Adds the MCP server, with which ${assistant.title} can search and store memories.`;
}

function hasChange(outcome: Outcome): outcome is Outcome & { plan: ChangePlan } {
  return outcome.plan?.changed === true;
}
