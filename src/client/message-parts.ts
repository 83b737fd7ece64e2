import { isId } from './agent-items.ts';
import type { NewMessage } from './client.ts';

/** A call of a tool, as a model asked for it. */
export interface Call {
  id: string;
  name: string;
  input: unknown;
}

type Parts = Exclude<NewMessage['content'], string>;

/** The longest text of a message, calls and results of tools included. */
export const LONGEST_TEXT = 100_000;
const MOST_PARTS = 256;
/** Arguments and results that are nested deeper are stored as text. */
const MOST_LEVELS = 20;

/** Returns the beginning of a text, without NUL characters and unpaired surrogates, which the daemon rejects. */
export function storableText(text: string, longest = LONGEST_TEXT): string {
  return text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd');
}

/**
 * Returns parts that the daemon accepts. One that it rejects would keep all messages after it from being stored: texts are cut,
 * large integers become text, and arguments and results that are too long or too deep are stored as the beginning of their JSON.
 */
export function storableParts(parts: Parts): Parts {
  let left = LONGEST_TEXT;
  const take = (value: unknown): unknown => {
    const stored = storableValue(value, Math.max(0, left));
    left -= textOf(stored).length + 1;
    return stored;
  };
  return parts.slice(0, MOST_PARTS).map((part) => {
    if (part.type === 'text') return { ...part, text: String(take(part.text)) };
    if (part.type === 'tool_result') return { ...part, content: take(part.content) };
    if (part.type !== 'tool_call') return part;
    left -= part.name.length + 1;
    return { ...part, arguments: take(part.arguments) };
  });
}

function storableValue(value: unknown, longest: number): unknown {
  const stored: unknown = JSON.parse(JSON.stringify(value) ?? 'null', (_, member: unknown) => {
    if (typeof member === 'string') return storableText(member, Number.POSITIVE_INFINITY);
    return Number.isInteger(member) && !Number.isSafeInteger(member) ? String(member) : member;
  });
  const text = textOf(stored);
  return text.length <= longest && isStorable(stored) ? stored : storableText(text, longest);
}

/** Whether the daemon accepts the depth and the names of a value. */
function isStorable(value: unknown, level = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (level === MOST_LEVELS) return false;
  const isName = (name: string) => name !== '__proto__' && name !== 'constructor' && storableText(name) === name;
  return Object.entries(value).every(([name, member]) => isName(name) && isStorable(member, level + 1));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the content of a message with a text and calls of tools, or `undefined` if there is nothing to store. */
export function contentOf(text: string, calls: readonly Call[] = []): NewMessage['content'] | undefined {
  const shown = storableText(text);
  const texts = shown.trim() === '' ? [] : [{ type: 'text' as const, text: shown }];
  const parts = calls
    .filter(({ id, name }) => isId(id) && isId(name))
    .map(({ id, name, input }) => ({ type: 'tool_call' as const, id, name, arguments: input }));
  if (parts.length === 0) return texts.length === 0 ? undefined : shown;
  return storableParts([...texts, ...parts]);
}
