import type { CommandContext } from '../command-context.ts';
import type { ChecklistRow } from './mcp-checklist.tsx';

export interface RowPrompt extends Pick<CommandContext, 'terminal' | 'input' | 'environment'> {
  /** The streams for the checklist, if both are terminals. */
  screen?: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } | undefined;
}

/**
 * Asks which rows to choose, with a checklist, or with a numbered list for screen readers and CI. Returns their ids, or
 * `undefined` if the user cancels. Call it only if input is a terminal.
 */
export async function promptRows(
  question: string,
  rows: readonly ChecklistRow[],
  context: RowPrompt,
): Promise<string[] | undefined> {
  const { screen, terminal, environment } = context;
  if (!screen || environment.env.INK_SCREEN_READER || environment.env.CI)
    return promptByNumber(rows, question, context);
  const { promptChecklist } = await import('./mcp-checklist-prompt.tsx');
  return promptChecklist(question, rows, { ...screen, color: terminal.color });
}

async function promptByNumber(
  rows: readonly ChecklistRow[],
  question: string,
  { input, terminal }: RowPrompt,
): Promise<string[] | undefined> {
  const open = rows.filter(({ state }) => state === 'open');
  const settled = rows.filter(({ state }) => state !== 'open');
  const main = open.filter(({ section }) => section === undefined);
  const all = main.length > 0 ? main : open;
  const lines = [
    question,
    ...settled.map(({ title, about }) => `   ${title}: ${about}`),
    ...open.flatMap((row, index) => [
      ...(row.section !== undefined && row.section !== open[index - 1]?.section ? [row.section] : []),
      `${index + 1}. ${describe(row)}`,
    ]),
  ];
  terminal.error(`${lines.join('\n')}\n`);
  if (open.length === 0) return [];
  const those = all.length < open.length ? ` (1 to ${all.length})` : '';
  for (;;) {
    const answer = (await input.ask(`Enter numbers or "all"${those}, or press Enter to cancel: `)).trim().toLowerCase();
    if (answer === '') return undefined;
    if (answer === 'a' || answer === 'all') return all.map(({ id }) => id);
    const numbers = answer.split(/[\s,]+/).map(Number);
    if (numbers.every((number) => open[number - 1])) return numbers.map((number) => open[number - 1]!.id);
    terminal.error(`Enter numbers from 1 to ${open.length}.\n`);
  }
}

function describe({ section, title, about, explanation }: ChecklistRow): string {
  return section === undefined || !explanation ? `${title}: ${about}` : `${title}: ${about}. ${explanation}`;
}
