import type { Assistant } from './assistant.ts';
import { GUI_ASSISTANTS } from './gui-assistants.ts';
import { TERMINAL_ASSISTANTS } from './terminal-assistants.ts';

/** Every supported assistant. To support another one, add it to one of the two tables. */
export const ASSISTANTS: readonly Assistant[] = [...TERMINAL_ASSISTANTS, ...GUI_ASSISTANTS];

/** Finds an assistant by its id or an alias, ignoring case. */
export function findAssistant(name: string): Assistant | undefined {
  const wanted = name.toLowerCase();
  return ASSISTANTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}
