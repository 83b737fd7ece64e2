import type { Key } from 'ink';

/** A line of input being edited. */
export interface Line {
  text: string;
  /** Index of the character under the cursor. */
  cursor: number;
}

/** Applies a key press to a line. A paste arrives as one press. */
export function editLine({ text, cursor }: Line, input: string, key: Partial<Key>): Line {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  if (key.leftArrow) return { text, cursor: Math.max(0, cursor - 1) };
  if (key.rightArrow) return { text, cursor: Math.min(text.length, cursor + 1) };
  if (key.home || (key.ctrl && input === 'a')) return { text, cursor: 0 };
  if (key.end || (key.ctrl && input === 'e')) return { text, cursor: text.length };
  if (key.ctrl && input === 'u') return { text: after, cursor: 0 };
  if (key.ctrl && input === 'w') {
    const remaining = before.replace(/\S+\s*$/, '');
    return { text: remaining + after, cursor: remaining.length };
  }
  // Terminals send DEL for the backspace key, which ink calls "delete".
  if (key.backspace || key.delete) {
    return { text: before.slice(0, -1) + after, cursor: Math.max(0, cursor - 1) };
  }
  if (key.ctrl || key.meta || key.escape || key.tab) return { text, cursor };
  const typed = input.replace(/[\u0000-\u001f\u007f]/g, '');
  return { text: before + typed + after, cursor: cursor + typed.length };
}
