import { createStyle, type Style } from '../output.ts';

/** The command line's styles plus one for matched words. */
export interface MemoryStyle extends Style {
  highlight(text: string): string;
}

export function createMemoryStyle(color: boolean): MemoryStyle {
  // Reverse video rather than a color: it works on every background and for color-blind readers.
  return { ...createStyle(color), highlight: (text) => (color ? `\u001b[7m${text}\u001b[27m` : text) };
}
