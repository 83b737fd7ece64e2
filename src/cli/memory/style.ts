import { createStyle, type Style } from '../output.ts';

/** The styles of the command line, and one for words that were searched for. */
export interface MemoryStyle extends Style {
  highlight(text: string): string;
}

export function createMemoryStyle(color: boolean): MemoryStyle {
  // Reversed rather than colored: it is seen on every background, and by those who see few colors.
  return { ...createStyle(color), highlight: (text) => (color ? `\u001b[7m${text}\u001b[27m` : text) };
}
