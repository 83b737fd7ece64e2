import type { LearnedWord } from '../../../contract/learned-words.ts';

/** An item that words of questions lead to. */
export interface LearnedItem extends Pick<LearnedWord, 'itemId' | 'type' | 'text'> {
  words: LearnedWord[];
}

/** Groups words by the item that they lead to, in the order of the list: that of the word used last comes first. */
export function groupWords(words: readonly LearnedWord[]): LearnedItem[] {
  const items = new Map<string, LearnedItem>();
  for (const word of words) {
    const { itemId, type, text } = word;
    const item = items.get(itemId) ?? { itemId, type, text, words: [] };
    item.words.push(word);
    items.set(itemId, item);
  }
  return [...items.values()];
}

/** Identifies a word of an item, or with `word` left out all words of the item. */
export function wordKey({ itemId, word }: { itemId: string; word?: string }): string {
  return word === undefined ? itemId : `${itemId} ${word}`;
}

const MAX_TITLE = 60;

/** Names an item within a label or message: its first line, shortened. */
export function itemTitle({ text }: Pick<LearnedItem, 'text'>): string {
  const [line = ''] = text.trim().split('\n');
  if (line === '') return 'an item without text';
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).trimEnd()}…`;
}
