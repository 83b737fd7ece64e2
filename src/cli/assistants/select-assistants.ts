import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import type { ChecklistRow } from '../ui/mcp-checklist.tsx';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS, findAssistant } from './assistant-table.ts';
import type { McpConfigContext } from './build-entry.ts';
import { findInstalledAssistants } from './inspect-assistants.ts';
import { describePlan, type Outcome, tildify } from './outcome.ts';

/** The assistants that were named, else those that are installed, and have a file in that scope. */
export async function selectAssistants(
  names: readonly string[],
  scope: Scope,
  { environment }: McpConfigContext,
): Promise<Assistant[]> {
  const named = names.map(assistantNamed);
  const without = named.find(({ files }) => !files[scope]);
  if (without) throw new CommandFailure(EXIT.usage, `${without.title} has no file for a ${scope}.`);
  if (named.length > 0) return [...new Set(named)];
  return (await findInstalledAssistants(environment)).filter(({ files }) => files[scope]);
}

function assistantNamed(name: string): Assistant {
  const assistant = findAssistant(name);
  if (assistant) return assistant;
  const known = ASSISTANTS.map(({ id }) => id).join(', ');
  throw new CommandFailure(EXIT.usage, `svc does not know an assistant called ${name}. It knows: ${known}.`);
}

/**
 * Asks which of the planned changes are to be made: a checklist where there is a screen, a numbered list where it is
 * read aloud or drawn by a machine. Throws where nobody can be asked, or nobody answers.
 */
export async function promptForAssistants(
  outcomes: readonly Outcome[],
  question: string,
  context: McpConfigContext,
): Promise<Set<string>> {
  const { screen, input, terminal, environment } = context;
  if (!input.isTty)
    throw new CommandFailure(EXIT.usage, 'Nobody can be asked here. Name the assistants, or give --yes for all.');
  const rows = outcomes.map((outcome) => toRow(outcome, environment.home));
  const plain = Boolean(environment.env.INK_SCREEN_READER || environment.env.CI) || !screen;
  const ids = plain
    ? await promptByNumber(rows, question, context)
    : await (await import('../ui/mcp-checklist-prompt.tsx')).promptChecklist(question, rows, {
        ...screen,
        color: terminal.color,
      });
  if (ids === undefined) throw new CommandFailure(EXIT_INTERRUPTED, 'Nothing was changed.');
  return new Set(ids);
}

function toRow(outcome: Outcome, home: string): ChecklistRow {
  const { id, title } = outcome.assistant;
  if (outcome.fault !== undefined) return { id, title, about: tildify(outcome.fault, home), state: 'fault' };
  if (!outcome.plan?.changed) return { id, title, about: 'set up already', state: 'done' };
  return {
    id,
    title,
    about: describePlan(outcome.plan, home),
    state: 'open',
    chosen: outcome.plan.action === 'change',
  };
}

async function promptByNumber(
  rows: readonly ChecklistRow[],
  question: string,
  { input, terminal }: McpConfigContext,
): Promise<string[] | undefined> {
  const open = rows.filter(({ state }) => state === 'open');
  const settled = rows.filter(({ state }) => state !== 'open');
  const lines = [
    question,
    ...settled.map(({ title, about }) => `   ${title}: ${about}`),
    ...open.map(({ title, about }, index) => `${index + 1}. ${title}: ${about}`),
  ];
  terminal.error(`${lines.join('\n')}\n`);
  if (open.length === 0) return [];
  for (;;) {
    const answer = (await input.ask('Numbers, "all", or nothing to leave all as it is: ')).trim().toLowerCase();
    if (answer === '') return undefined;
    if (answer === 'a' || answer === 'all') return open.map(({ id }) => id);
    const numbers = answer.split(/[\s,]+/).map(Number);
    if (numbers.every((number) => open[number - 1])) return numbers.map((number) => open[number - 1]!.id);
    terminal.error(`Please type numbers from 1 to ${open.length}.\n`);
  }
}
