import type { Assistant } from './assistant.ts';
import { ASSISTANT_NAMES } from './assistant-names.ts';
import { GUI_ASSISTANTS } from './gui-assistants.ts';
import { TERMINAL_ASSISTANTS } from './terminal-assistants.ts';

/** Every supported assistant. To support another one, add its names, and its setup to one of the two tables. */
export const ASSISTANTS: readonly Assistant[] = [...TERMINAL_ASSISTANTS, ...GUI_ASSISTANTS].map((setup) => {
  const { title, aliases = [] } = ASSISTANT_NAMES[setup.id];
  return { ...setup, title, aliases };
});

/** Finds an assistant by its id or an alias, ignoring case. */
export function findAssistant(name: string): Assistant | undefined {
  const wanted = name.toLowerCase();
  return ASSISTANTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}
