import type { StdioEntry } from '../assistants/assistant.ts';
import type { Environment } from '../settings.ts';

/** What assistants can be run for, with the names of the daemon's tools; the first one reads a portion. */
export const TASKS = {
  tidy: { title: 'tidy memories', tools: ['suggestions_list', 'suggestions_propose'] },
  extract: { title: 'extract memories', tools: ['messages_list', 'memories_store'] },
} as const;
export type TaskName = keyof typeof TASKS;

/** What a program is to do, in its own empty folder. */
export interface AssistantRun {
  task: TaskName;
  prompt: string;
  /** Instead of the one that it is set to. */
  model?: string | undefined;
  /** How it starts the bridge. */
  bridge: StdioEntry;
  /** Variables that the bridge reads from the program's environment, if they are set. */
  inherited: readonly string[];
  environment: Environment;
}

interface ProgramStart {
  args: string[];
  env?: Record<string, string>;
  /** Texts of files in the folder, by path. */
  files?: Record<string, string>;
}

/** What the output of a program says about its work. Numbers are totals, or `more` than before. */
export interface ProgramNews {
  /** Tools that it called, and how many changes or memories it gave them. */
  calls?: { tool: string; given: number }[];
  tokens?: number;
  moreTokens?: number;
  costUsd?: number;
  moreCostUsd?: number;
  /** What is wrong; if it is not fatal, the program tries again. */
  error?: { message: string; isFatal: boolean };
}

/** An assistant that runs without a screen, with the tools of its task and no other. */
export interface AssistantProgram {
  command: string;
  title: string;
  /** How to install it. */
  install: string;
  start(run: AssistantRun): ProgramStart | Promise<ProgramStart>;
  /** Reads one line of its output. */
  read(event: OutputEvent): ProgramNews;
}

/** A line of output, which another program wrote: nothing in it is certain. */
export type OutputEvent = Record<string, unknown>;

/** Returns an object's field as an object, empty if it is none. */
export function objectIn(value: unknown, field: string): OutputEvent {
  const inner = (value as OutputEvent | null | undefined)?.[field];
  return typeof inner === 'object' && inner !== null ? (inner as OutputEvent) : {};
}

export function textIn(value: unknown, field: string): string {
  const inner = (value as OutputEvent | null | undefined)?.[field];
  return typeof inner === 'string' ? inner : '';
}

export function numberIn(value: unknown, field: string): number {
  const inner = (value as OutputEvent | null | undefined)?.[field];
  return typeof inner === 'number' && Number.isFinite(inner) ? inner : 0;
}
