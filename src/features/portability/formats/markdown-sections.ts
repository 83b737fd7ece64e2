import { MAX_STORED_LENGTH } from './foreign-values.ts';

/** A part of a Markdown text under one heading. */
export interface Section {
  heading: string | undefined;
  text: string;
}

/** A line, without its end, and where it is in its text. */
interface Line {
  line: string;
  start: number;
  /** Where the next line starts. */
  next: number;
}

/** A longer section is split between paragraphs: short memories are easier to find. */
const MAX_SECTION_CHARACTERS = 2000;
/** A line that is a heading, with its text. */
export const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/s;
/** A line that is nothing but bold text, which some programs write for a heading. */
export const BOLD_HEADING = /^ {0,3}\*\*([^*]+?):?\*\*:?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Splits a Markdown text at its headings, in steps of a line, and drops empty sections. */
export function* splitSections(
  markdown: string,
  headings: readonly RegExp[] = [HEADING],
): Generator<Section | undefined> {
  let heading: string | undefined;
  /** The paragraphs so far of the section, or of the part of it that is not full. */
  let text: string | undefined;
  let paragraph: string[] = [];
  let paragraphLength = 0;
  function* endParagraph(): Generator<Section> {
    const ended = paragraph.join('\n');
    paragraph = [];
    paragraphLength = 0;
    if (!/\S/.test(ended)) return;
    if (text === undefined) text = ended;
    else if (text.length + ended.length < MAX_SECTION_CHARACTERS) text += `\n\n${ended}`;
    else {
      yield { heading, text };
      text = ended;
    }
  }
  function* endSection(): Generator<Section> {
    yield* endParagraph();
    if (text !== undefined) yield { heading, text };
    text = undefined;
  }
  for (const { line, fenced } of markdownLines(markdown)) {
    yield undefined;
    const title = fenced
      ? undefined
      : headings.map((pattern) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
    if (title !== undefined) {
      yield* endSection();
      heading = stripClosing(title) || undefined;
    } else if (!fenced && line.trim() === '') yield* endParagraph();
    else if (paragraphLength <= MAX_STORED_LENGTH) {
      paragraph.push(line);
      paragraphLength += line.length;
    }
  }
  yield* endSection();
}

/** Yields the lines of a Markdown text; `fenced` for those of a fenced code block, including its fences. */
export function* markdownLines(markdown: string): Generator<{ line: string; fenced: boolean }> {
  let fence: string | undefined;
  for (const { line } of linesOf(markdown)) {
    const [, mark] = FENCE.exec(line) ?? [];
    const opens = fence === undefined && mark !== undefined;
    const closes = fence !== undefined && mark?.startsWith(fence) && line.trim() === mark;
    yield { line, fenced: fence !== undefined || opens };
    if (opens) fence = mark;
    if (closes) fence = undefined;
  }
}

/** Yields the lines of a text one by one: a list of a million takes a second to make. */
export function* linesOf(text: string): Generator<Line> {
  let feed = text.indexOf('\n');
  let carriage = text.indexOf('\r');
  for (let start = 0; ; ) {
    if (feed !== -1 && feed < start) feed = text.indexOf('\n', start);
    if (carriage !== -1 && carriage < start) carriage = text.indexOf('\r', start);
    const isFeed = carriage === -1 || (feed !== -1 && feed < carriage);
    const end = isFeed ? feed : carriage;
    if (end === -1) return yield { line: text.slice(start), start, next: text.length };
    const next = end + (!isFeed && feed === end + 1 ? 2 : 1);
    yield { line: text.slice(start, end), start, next };
    start = next;
  }
}

/** Drops the closing sequence of a heading such as `## Heading ##`. */
function stripClosing(heading: string): string {
  return heading
    .trim()
    .replace(/[ \t]#+$/, '')
    .trim();
}
