import { isId } from './agent-items.ts';
import type { NewMessage } from './client.ts';

/** A call of a tool, as a model asked for it. */
export interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** The longest text of a message. */
export const LONGEST_TEXT = 100_000;

/** Returns the content of a message with a text and calls of tools, or `undefined` if there is nothing to store. */
export function contentOf(text: string, calls: readonly Call[] = []): NewMessage['content'] | undefined {
  const shown = text.slice(0, LONGEST_TEXT).toWellFormed();
  const texts = shown.trim() === '' ? [] : [{ type: 'text' as const, text: shown }];
  const parts = calls
    .filter(({ id, name }) => isId(id) && isId(name))
    .map(({ id, name, input }) => ({ type: 'tool_call' as const, id, name, arguments: input }));
  if (parts.length === 0) return texts.length === 0 ? undefined : shown;
  return [...texts, ...parts];
}
