import type { Assistant } from './assistant.ts';
import { GUI_ASSISTANTS } from './gui-assistants.ts';
import { TERMINAL_ASSISTANTS } from './terminal-assistants.ts';

/** Every assistant that svc sets up. A new one is a new row in one of the two tables. */
export const ASSISTANTS: readonly Assistant[] = [...TERMINAL_ASSISTANTS, ...GUI_ASSISTANTS];

/** The assistant of that id or other name. */
export function findAssistant(name: string): Assistant | undefined {
  const wanted = name.toLowerCase();
  return ASSISTANTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}
