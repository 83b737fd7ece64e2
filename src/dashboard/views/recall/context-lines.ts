import type { ContextAnswer } from '../../../client/client.ts';

/** A part of a context block: its heading, or the text of one citation. */
export interface ContextLine {
  /** `[1]`; undefined for the heading. */
  marker: string | undefined;
  text: string;
}

/** Splits a context block at its citations. Joined by line breaks, the texts with their markers equal the block. */
export function contextLines({ text, citations }: Pick<ContextAnswer, 'text' | 'citations'>): ContextLine[] {
  const lines: ContextLine[] = [];
  let next = 0;
  for (const line of text.split('\n')) {
    const marker = citations[next]?.marker;
    const last = lines.at(-1);
    // The date tells a citation from a stored text that happens to begin with the same marker.
    if (marker !== undefined && line.startsWith(`${marker} (`)) {
      lines.push({ marker, text: line.slice(marker.length) });
      next += 1;
    } else if (last === undefined) lines.push({ marker: undefined, text: line });
    else last.text += `\n${line}`;
  }
  return lines;
}
