const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** Characters of one column that never combine: ASCII, Latin letters, punctuation, arrows, bars and the marks of lists. */
export const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u2193\u2500-\u259f\u2713\u2717]*$/;
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
let segmenter: Intl.Segmenter | undefined;

/**
 * Makes untrusted text safe to print: nothing in it can move the cursor, set colors or change the text direction. Line
 * feeds stay, tabs become spaces, and other control characters become visible symbols.
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, (character) => {
    if (character === '\t') return '  ';
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}

/**
 * Makes JSON safe to print on a terminal: control characters and those that change the text direction, which JSON need
 * not escape, become `\\uXXXX`. The data is the same.
 */
export function printableJson(json: string): string {
  return json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Counts the columns of a text: two for East Asian wide characters and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** Creates the segmenter on first use: it is slow, and most text is plain. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return INVISIBLE.test(grapheme) ? 0 : 1;
}

/** Shortens a text to at most `width` columns, with an ellipsis if anything is cut. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return `${headOf(text, width - 1)}…`;
}

function headOf(text: string, width: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, width));
  let used = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width) return text.slice(0, index);
  }
  return text;
}

/**
 * Wraps a text to lines of at most `width` columns, between words, or within a word that is longer than a line. Beyond
 * `maxLines` the last line ends with an ellipsis.
 */
export function wrap(text: string, width: number, maxLines = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    lines.push(...wrapParagraph(paragraph.trimEnd(), width));
    if (lines.length > maxLines) break;
  }
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), truncate(`${lines[maxLines - 1]} …`, width)];
}

function wrapParagraph(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(/(?<=\S) +/)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (displayWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (displayWidth(line) > width) {
      const head = headOf(line, width) || Array.from(line)[0]!;
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return [...lines, line];
}

/** Joins a text into one line for programs: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return printable(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}
