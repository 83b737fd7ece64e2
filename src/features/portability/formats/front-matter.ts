import { parse } from 'yaml';
import { clip, type Fields, fieldsOf, oneLine, parseInstant } from './foreign-values.ts';

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

const MAX_FRONT_CHARACTERS = 64 * 1024;
const FRONT = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Separates a note from its front matter: YAML between two `---` lines. */
export function parseNote(content: string): Note {
  const text = content.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const [matched, yaml] = FRONT.exec(text) ?? [];
  if (matched === undefined) return { front: frontOf({}), body: text, problem: undefined };
  const body = text.slice(matched.length);
  const unparsed = (problem: string) => ({ front: frontOf({}), body: text, problem });
  if (matched.length > MAX_FRONT_CHARACTERS) return unparsed(`it is longer than ${MAX_FRONT_CHARACTERS} characters`);
  try {
    const fields = fieldsOf(parse(yaml ?? '', { schema: 'core', logLevel: 'error' }) ?? {});
    return fields ? { front: frontOf(fields), body, problem: undefined } : unparsed('it has no fields');
  } catch (error) {
    return unparsed(clip(oneLine((error as Error).message), 200));
  }
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
