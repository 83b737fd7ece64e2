import { wrap } from '../memory/terminal-text.ts';
import type { Style } from '../output.ts';

/** Wider lines are harder to read. */
const LARGEST_WIDTH = 76;

/** Wraps a framed mail for people. A link gets a line to itself, in one piece, so that it can be clicked. */
export function formatMail(frame: string, style: Style, columns: number): string {
  const width = Math.min(columns - 3, LARGEST_WIDTH);
  const lines = frame.trimEnd().split('\n');
  return lines.flatMap((line) => formatLine(line, style, width)).join('\n');
}

function formatLine(line: string, style: Style, width: number): string[] {
  if (!line.startsWith('│')) return [style.dim(line.slice(0, width + 2))];
  const text = line.slice(2);
  const edge = style.dim('│');
  if (/^https?:\/\/\S+$/.test(text)) return [`${edge} ${style.link(text)}`];
  if (text.startsWith('Subject: ')) return [`${edge} ${style.bold(text.slice('Subject: '.length))}`];
  if (text.startsWith('To: ')) return [`${edge} ${style.dim(`Mail for ${text.slice('To: '.length).trim()}`)}`];
  return wrap(text, width).map((part) => `${edge} ${part}`.trimEnd());
}
