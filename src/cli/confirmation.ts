import type { CommandInput } from './command-context.ts';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

export const YES_OPTION = ['-y, --yes', 'do not ask for confirmation'] as const;

/** Throws `CommandFailure` if nobody can be asked. */
export function requireTerminal(input: Pick<CommandInput, 'isTty'>): void {
  if (input.isTty) return;
  throw new CommandFailure(EXIT.usage, 'Cannot ask for confirmation: input is not a terminal. Pass --yes to skip it.');
}

/** Asks a question and throws `CommandFailure`, with what did not happen, unless the answer is yes. */
export async function requireYes(input: Pick<CommandInput, 'ask'>, question: string, otherwise: string): Promise<void> {
  if (!isYes(await input.ask(`${question} [y/N] `))) throw new CommandFailure(EXIT.failed, otherwise);
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
