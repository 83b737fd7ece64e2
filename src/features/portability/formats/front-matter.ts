import { parse } from 'yaml';
import { clip, type Fields, fieldsOf, oneLine, parseInstant } from './foreign-values.ts';
import { linesOf } from './markdown-sections.ts';

/** The fields of a note's front matter that are imported. */
export interface FrontMatter {
  title: string | undefined;
  type: string | undefined;
  permalink: string | undefined;
  tags: string[];
  createdMs: number | undefined;
  modifiedMs: number | undefined;
}

/** A parsed note. Front matter that cannot be parsed stays in the body, and `problem` says why. */
export interface Note {
  front: FrontMatter;
  body: string;
  problem: string | undefined;
}

/** Parsed at once, in about ten milliseconds. */
const MAX_FRONT_CHARACTERS = 4 * 1024;
const MARK = /^---[ \t]*$/;

/** Separates a note from its front matter, in steps of a line: YAML between two `---` lines. */
export function* parseNote(content: string): Generator<undefined, Note> {
  const text = content.replace(/^\ufeff/, '');
  const found = yield* frontIn(text);
  if (!found) return { front: frontOf({}), body: text, problem: undefined };
  const { yaml, end } = found;
  const unparsed = (problem: string) => ({ front: frontOf({}), body: text, problem });
  if (end > MAX_FRONT_CHARACTERS) return unparsed(`it is longer than ${MAX_FRONT_CHARACTERS} characters`);
  try {
    const fields = fieldsOf(parse(yaml.replace(/\r\n?/g, '\n'), { schema: 'core', logLevel: 'error' }) ?? {});
    return fields
      ? { front: frontOf(fields), body: text.slice(end), problem: undefined }
      : unparsed('it has no fields');
  } catch (error) {
    return unparsed(clip(oneLine((error as Error).message), 200));
  }
}

/** Returns the lines between the marks, and where the text after them starts. */
function* frontIn(text: string): Generator<undefined, { yaml: string; end: number } | undefined> {
  let opened: number | undefined;
  for (const { line, start, next } of linesOf(text)) {
    yield undefined;
    const isMark = MARK.test(line);
    if (isMark && opened !== undefined) return { yaml: text.slice(opened, start), end: next };
    if (!isMark && opened === undefined) return undefined;
    opened ??= next;
  }
  return undefined;
}

function frontOf(fields: Fields): FrontMatter {
  return {
    title: lineOf(fields.title),
    type: lineOf(fields.type),
    permalink: lineOf(fields.permalink),
    tags: tagsOf(fields.tags),
    createdMs: parseInstant(fields.created),
    modifiedMs: parseInstant(fields.modified),
  };
}

/** Converts numbers too: YAML reads a title like `1984` as one. */
function lineOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value)) || undefined : undefined;
}

/** Reads a list or a comma-separated string of tags, with or without `#`. */
function tagsOf(value: unknown): string[] {
  const tags: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return tags.flatMap((tag) => lineOf(tag)?.replace(/^#+/, '').trim() || []);
}
