import type { Assistant } from './assistant.ts';
import { TERMINAL_ASSISTANTS } from './terminal-assistants.ts';
import { WINDOW_ASSISTANTS } from './window-assistants.ts';

/** Every assistant that svc sets up. A new one is a new row in one of the two tables. */
export const ASSISTANTS: readonly Assistant[] = [...TERMINAL_ASSISTANTS, ...WINDOW_ASSISTANTS];

/** The client of that id or other name. */
export function findAssistant(name: string): Assistant | undefined {
  const wanted = name.toLowerCase();
  return ASSISTANTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}
