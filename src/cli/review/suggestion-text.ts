import type { Memory } from '../../contract/memories.ts';
import type { SuggestionKind } from '../../contract/suggestion-names.ts';
import type { Suggestion } from '../../contract/suggestions.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { printable } from '../memory/terminal-text.ts';

/** What accepting would do, for people. */
export const KIND_TITLES: Readonly<Record<SuggestionKind, string>> = {
  add: 'Remember this',
  merge: 'Keep one of these that say the same',
  supersede: 'Replace the older with the newer',
  contradiction: 'Choose which of these holds',
  expire: 'No longer holds',
  split: 'Store as several memories',
};

/** A line of a suggestion: what is there now and goes or stays, and what would be there. */
export interface SuggestionLine {
  mark: '-' | '+' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
  text: string;
}

/** Describes a suggestion line by line; `memories` are those that it is about. */
export function linesOfSuggestion(
  { kind, memoryIds, content }: Suggestion,
  memories: ReadonlyMap<string, Memory>,
  nowMs: number,
): SuggestionLine[] {
  const texts = memoryIds.map((id) => textOf(memories.get(id), nowMs));
  const stored: SuggestionLine[] = content === null ? [] : content.split('\n').map((text) => plus(printable(text)));
  if (kind === 'contradiction') {
    return texts.map((text, index) => ({ mark: String(Math.min(index + 1, 9)) as SuggestionLine['mark'], text }));
  }
  if (kind === 'supersede' && content === null) {
    return texts.map((text, index) => (index === texts.length - 1 ? plus(text) : minus(text)));
  }
  return [...texts.map(minus), ...stored];
}

function minus(text: string): SuggestionLine {
  return { mark: '-', text };
}

function plus(text: string): SuggestionLine {
  return { mark: '+', text };
}

function textOf(memory: Memory | undefined, nowMs: number): string {
  if (memory === undefined) return '(erased)';
  const at = formatRelativeTime(Date.parse(memory.occurredAt ?? memory.createdAt), nowMs);
  return `${printable(memory.content)} (${at})`;
}

/** Who suggests and how sure it is, in a line. */
export function sourceOfSuggestion({ by, byName, confidence }: Suggestion): string {
  const who =
    by === 'rules' ? 'by rules' : `by ${printable(byName ?? (by === 'assistant' ? 'an assistant' : 'a model'))}`;
  return `${who}, ${Math.round(confidence * 100)} % sure`;
}
