import { createStyle, type Style } from '../output.ts';

/** The styles of the command line, and one for words that were searched for. */
export interface MemoryStyle extends Style {
  marked(text: string): string;
}

export function createMemoryStyle(colour: boolean): MemoryStyle {
  // Reversed rather than coloured: it is seen on every background, and by those who see few colours.
  return { ...createStyle(colour), marked: (text) => (colour ? `\u001b[7m${text}\u001b[27m` : text) };
}
