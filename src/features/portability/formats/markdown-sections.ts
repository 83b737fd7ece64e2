/** A part of a Markdown text under one heading. */
export interface Section {
  heading: string | undefined;
  text: string;
}

/** A longer section is split between paragraphs: short memories are easier to find. */
const MAX_SECTION_CHARACTERS = 2000;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Splits a Markdown text at its headings and drops empty sections. */
export function splitSections(markdown: string): Section[] {
  const sections: { heading: string | undefined; paragraphs: string[] }[] = [{ heading: undefined, paragraphs: [] }];
  let paragraph: string[] = [];
  const endParagraph = () => {
    const text = paragraph.join('\n');
    if (/\S/.test(text)) sections.at(-1)!.paragraphs.push(text);
    paragraph = [];
  };
  for (const { line, fenced } of markdownLines(markdown)) {
    const [, heading] = (!fenced && HEADING.exec(line)) || [];
    if (heading !== undefined || (!fenced && line.trim() === '')) endParagraph();
    else paragraph.push(line);
    if (heading !== undefined) sections.push({ heading: stripClosing(heading) || undefined, paragraphs: [] });
  }
  endParagraph();
  return sections.flatMap(({ heading, paragraphs }) => joinShort(paragraphs).map((text) => ({ heading, text })));
}

/** Yields the lines of a Markdown text; `fenced` for those of a fenced code block, including its fences. */
export function* markdownLines(markdown: string): Generator<{ line: string; fenced: boolean }> {
  let fence: string | undefined;
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    const [, mark] = FENCE.exec(line) ?? [];
    const opens = fence === undefined && mark !== undefined;
    const closes = fence !== undefined && mark?.startsWith(fence) && line.trim() === mark;
    yield { line, fenced: fence !== undefined || opens };
    if (opens) fence = mark;
    if (closes) fence = undefined;
  }
}

/** Drops the closing sequence of a heading such as `## Heading ##`. */
function stripClosing(heading: string): string {
  return heading
    .trim()
    .replace(/[ \t]#+$/, '')
    .trim();
}

function joinShort(paragraphs: readonly string[]): string[] {
  const texts: string[] = [];
  for (const paragraph of paragraphs) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + paragraph.length < MAX_SECTION_CHARACTERS) {
      texts[texts.length - 1] = `${last}\n\n${paragraph}`;
    } else texts.push(paragraph);
  }
  return texts;
}
