import { parse } from 'yaml';
import { clip, type Fields, fieldsOf, instantIn, oneLine } from './foreign-values.ts';

/** What a note says of itself above its text. */
export interface FrontMatter {
  title: string | undefined;
  type: string | undefined;
  permalink: string | undefined;
  tags: string[];
  createdMs: number | undefined;
  modifiedMs: number | undefined;
}

/** A note without its front matter; where that cannot be read, `wrong` says why, and it stays in the text. */
export interface Note {
  front: FrontMatter;
  body: string;
  wrong: string | undefined;
}

const FRONT_CHARACTERS = 64 * 1024;
const FRONT = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Takes the front matter, which is YAML between two lines `---`, off a note. */
export function parseNote(content: string): Note {
  const text = content.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const [whole, yaml] = FRONT.exec(text) ?? [];
  if (whole === undefined) return { front: frontOf({}), body: text, wrong: undefined };
  const body = text.slice(whole.length);
  const unread = (wrong: string) => ({ front: frontOf({}), body: text, wrong });
  if (whole.length > FRONT_CHARACTERS) return unread('it is too long');
  try {
    const fields = fieldsOf(parse(yaml ?? '', { schema: 'core', logLevel: 'error' }) ?? {});
    return fields ? { front: frontOf(fields), body, wrong: undefined } : unread('it names no fields');
  } catch (error) {
    return unread(clip(oneLine((error as Error).message), 200));
  }
}

function frontOf(fields: Fields): FrontMatter {
  return {
    title: wordsOf(fields.title),
    type: wordsOf(fields.type),
    permalink: wordsOf(fields.permalink),
    tags: tagsOf(fields.tags),
    createdMs: instantIn(fields.created),
    modifiedMs: instantIn(fields.modified),
  };
}

/** A title like `1984` is a number to YAML. */
function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value)) || undefined : undefined;
}

/** A list, or one text with commas; with or without `#`. */
function tagsOf(value: unknown): string[] {
  const tags: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return tags.flatMap((tag) => wordsOf(tag)?.replace(/^#+/, '').trim() || []);
}
