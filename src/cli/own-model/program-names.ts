import { InvalidArgumentError } from 'commander';

/** Assistants that svc can run with their own model, by the names of their commands. */
export const ASSISTANT_PROGRAM_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'qwen'] as const;
export type AssistantProgramName = (typeof ASSISTANT_PROGRAM_NAMES)[number];

const MAX_MINUTES = 24 * 60;

/** Reads how long an assistant may run at most. */
export function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw new InvalidArgumentError(`It must be a number of minutes up to ${MAX_MINUTES}.`);
  }
  return minutes;
}
