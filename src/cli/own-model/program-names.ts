import { InvalidArgumentError, Option } from 'commander';
import { parseCount } from '../memory/command-options.ts';

/** Assistants that svc can run with their own model, by the names of their commands. */
export const ASSISTANT_PROGRAM_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'qwen'] as const;
export type AssistantProgramName = (typeof ASSISTANT_PROGRAM_NAMES)[number];

const MAX_MINUTES = 24 * 60;

/** Reads how long an assistant may run at most. */
function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw new InvalidArgumentError(`It must be a number of minutes up to ${MAX_MINUTES}.`);
  }
  return minutes;
}

/** Makes the option that runs an assistant, and takes the place of `others`. */
export function withOption(others: string | string[]): Option {
  return new Option('--with <assistant>', 'run this assistant with its own model')
    .choices([...ASSISTANT_PROGRAM_NAMES])
    .conflicts(others);
}

export const MAX_TURNS_OPTION = [
  '--max-turns <count>',
  'with an assistant: stop after this many calls of a tool (default: 60)',
  parseCount,
] as const;

export const MAX_MINUTES_OPTION = [
  '--max-minutes <count>',
  'with an assistant: stop after this time (default: 30)',
  parseMinutes,
] as const;
