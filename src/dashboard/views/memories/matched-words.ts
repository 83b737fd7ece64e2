import { highlightMatches } from '../../highlight.ts';
import { signalLabel } from '../../ranking-words.ts';
import type { FoundBy, ListedMemory } from './memory-pages.ts';

/** Signals that count a related word like the word of the query itself. */
const WORD_SIGNALS = ['lexical', 'coverage'];

/** What a signal found in a memory: `“manager” for “boss”` if that is all that the words have in common. */
export function matchLabel(
  signal: string,
  { content, found }: Pick<ListedMemory, 'content' | 'found'>,
  query: string,
): string {
  const [related] = found?.why?.related ?? [];
  if (!related || !WORD_SIGNALS.includes(signal)) return signalLabel(signal);
  const isShared = highlightMatches(content, query).some(({ marked }) => marked);
  if (!isShared) return `“${related.word}” for “${related.term}”`;
  return signal === 'lexical' ? 'shared and related words' : signalLabel(signal);
}

/** The words of a query with the related words by which it found a memory. */
export function withRelated(query: string, found: FoundBy | undefined): string {
  return [query, ...(found?.why?.related ?? []).map(({ word }) => word)].join(' ');
}

/** The signals that raised a result, strongest first. */
export function strongestSignals(signals: Record<string, { share: number }>): string[] {
  return Object.entries(signals)
    .filter(([, { share }]) => share > 0)
    .sort(([, one], [, other]) => other.share - one.share)
    .map(([name]) => name);
}
