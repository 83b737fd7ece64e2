import { createHash } from 'node:crypto';
import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { MAX_CONTENT, type Memory } from '../../contract/memories.ts';

/** What a memory and its file have in common. */
export interface NotePart {
  content: string;
  tags: string[];
  project: string | null;
}

/** A Markdown file that can be a memory. */
export interface Note extends NotePart {
  /** The id of the memory; `undefined` if the file is new. */
  id: string | undefined;
  /** The file holds the other side of a conflict about this memory. */
  conflictOf: string | undefined;
  hasFrontMatter: boolean;
}

/** A file that cannot be a memory, and why. `id` is what it claims to be, as far as that can be read. */
export interface UnreadableNote {
  problem: string;
  id: string | undefined;
}

/** Marks a file as the other side of a conflict. */
const CONFLICT_PROPERTY = 'svc-conflict';
/** Holds the id where `id` is somebody else's. */
const OWN_ID_PROPERTY = 'svc-id';
const MEMORY_ID = /^mem_[0-9a-f]{32}$/;
const CLAIMED_ID = /^(?:svc-)?id:[ \t]*["']?(mem_[0-9a-f]{32})\b/m;
const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?\n)??---[ \t]*(?:\n|$)/;
const MAX_FRONT_CHARACTERS = 64 * 1024;
/** YAML to which no line `name: value` can be added: indented as a whole, with explicit keys, or with a mark of its end. */
const INDENTED = /^(?:[ \t]*(?:#.*)?\n)*[ \t]+[^\s#]/;
const UNUSUAL_LINE = /^(?:\?|\.\.\.)(?=\s)/m;
/** Deeper ones would exhaust the parser's stack, which ends the process. */
const MAX_FRONT_DEPTH = 50;
const NESTED_IN_LINE = new RegExp(`^[ \\t]*(?:[-?:][ \\t]+){${MAX_FRONT_DEPTH}}`, 'm');

/** Reads a Markdown file. Properties that svc does not know are ignored here, and kept by `renderNote`. */
export function parseNote(text: string): Note | UnreadableNote {
  const unreadable = (problem: string): UnreadableNote => ({ problem, id: claimedId(text) });
  if (text.includes('\0')) return unreadable('it contains a NUL character');
  const { front, body } = split(text);
  if (front.length > MAX_FRONT_CHARACTERS) return unreadable('its properties are longer than 64 KiB');
  if (isTooDeep(front)) return unreadable('its properties are nested too deeply');
  const content = normalizeContent(body);
  if (content.length > MAX_CONTENT && Array.from(content).length > MAX_CONTENT) {
    return unreadable(`its text is longer than ${MAX_CONTENT.toLocaleString('en')} characters; divide it`);
  }
  const yaml = documentOf(front);
  if (yaml.errors.length > 0) {
    return unreadable(`its properties are not valid YAML: ${yaml.errors[0]!.message.split('\n')[0]!.trim()}`);
  }
  if (INDENTED.test(front) || UNUSUAL_LINE.test(front)) {
    return unreadable('its properties are not written as lines “name: value” without space in front');
  }
  const project = yaml.get('project');
  if (project !== undefined && project !== null && typeof project !== 'string' && typeof project !== 'number') {
    return unreadable('its property “project” is not a text');
  }
  const tags = tagsIn(yaml);
  if (tags === undefined) return unreadable('its property “tags” is not a list of texts');
  const conflictOf = yaml.get(CONFLICT_PROPERTY);
  return {
    id: [yaml.get(OWN_ID_PROPERTY), yaml.get('id')].find(isMemoryId),
    conflictOf: conflictOf === undefined || conflictOf === null ? undefined : String(conflictOf),
    hasFrontMatter: front !== '',
    content,
    tags,
    project: project === undefined || project === null || project === '' ? null : String(project),
  };
}

/** Returns the id that a file seems to have, also if it is not readable as a whole. */
export function claimedId(text: string): string | undefined {
  return CLAIMED_ID.exec(text.slice(0, MAX_FRONT_CHARACTERS).replace(/\r\n?/g, '\n'))?.[1];
}

/** Line ends, blank lines around and spaces at the end are not part of a memory: editors change them. */
export function normalizeContent(content: string): string {
  return content
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** Identifies what a memory and its file have in common; the order of tags does not matter. */
export function hashPart({ content, tags, project }: NotePart): string {
  const part = JSON.stringify([normalizeContent(content), [...new Set(tags)].sort(), project]);
  return createHash('sha256').update(part).digest('base64url').slice(0, 22);
}

type Rendered = Pick<Memory, 'id' | 'content' | 'tags' | 'project' | 'createdAt' | 'updatedAt'>;

/** Returns the text of a memory's file. Of the `previous` text, what svc does not own stays unchanged. */
export function renderNote(memory: Rendered, previous?: string): string {
  const dates = { created: withoutFraction(memory.createdAt), updated: withoutFraction(memory.updatedAt) };
  const { front = '', body = '', gap = '' } = previous === undefined ? {} : split(previous);
  const yaml = documentOf(front);
  const isOurs = (name: string) => previous === undefined || yaml.has(name);
  const content = normalizeContent(memory.content);
  const properties = {
    [idProperty(yaml)]: memory.id,
    ...((memory.tags.length > 0 || yaml.has('tags')) && { tags: memory.tags }),
    ...((memory.project !== null || yaml.has('project')) && { project: memory.project }),
    ...(isOurs('created') && isTimestamp(yaml, 'created') && { created: dates.created }),
    ...(isOurs('updated') && isTimestamp(yaml, 'updated') && { updated: dates.updated }),
  };
  const isSameBody = previous !== undefined && normalizeContent(body) === content;
  const text = `---\n${withProperties(front, properties)}---\n${isSameBody ? gap + body : `${gap}${content}\n`}`;
  return previous?.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** Returns the text of a file with its id written in, or renewed. */
export function withId(text: string, id: string): string {
  const { front, body, gap } = split(text);
  const marked = `---\n${withProperties(front, { [idProperty(documentOf(front))]: id })}---\n${gap}${body}`;
  return text.includes('\r\n') ? marked.replaceAll('\n', '\r\n') : marked;
}

/** Returns the text of a file as the other side of a conflict about a memory. */
export function asConflict(text: string, id: string): string {
  const { front, body, gap } = split(text);
  const yaml = documentOf(front);
  const own = [OWN_ID_PROPERTY, 'id'].filter((name) => isMemoryId(yaml.get(name)));
  const properties = { ...Object.fromEntries(own.map((name) => [name, undefined])), [CONFLICT_PROPERTY]: id };
  return `---\n${withProperties(front, properties)}---\n${gap}${body}`;
}

interface SplitNote {
  /** The lines between the marks, each with its line end. */
  front: string;
  /** The blank lines before the body. */
  gap: string;
  body: string;
}

function split(text: string): SplitNote {
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const [whole = '', front = ''] = FRONT_MATTER.exec(lines) ?? [];
  // Two rules with text between them are not properties.
  const hasFront = whole !== '' && isProperties(front);
  const rest = hasFront ? lines.slice(whole.length) : lines;
  const gap = /^\n*/.exec(rest)![0];
  return { front: hasFront ? front : '', gap, body: rest.slice(gap.length) };
}

function isProperties(front: string): boolean {
  if (front.length > MAX_FRONT_CHARACTERS || isTooDeep(front)) return true;
  const yaml = documentOf(front);
  return yaml.errors.length > 0 || yaml.contents === null || (isMap(yaml.contents) && !yaml.contents.flow);
}

function isTooDeep(front: string): boolean {
  let depth = 0;
  for (const [bracket] of front.matchAll(/[[\]{}]/g)) {
    depth = '[{'.includes(bracket) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_FRONT_DEPTH) return true;
  }
  return NESTED_IN_LINE.test(front);
}

/** Parsed without aliases, which could expand without bounds. */
function documentOf(front: string): Document {
  const yaml: Document = parseDocument(front, { schema: 'core', logLevel: 'error' });
  return yaml;
}

function tagsIn(yaml: Document): string[] | undefined {
  const tags = yaml.get('tags');
  if (tags === undefined || tags === null) return [];
  // As older notes have them: `tags: tea, #garden`.
  if (typeof tags === 'string') return unique(tags.split(',').map((tag) => tag.trim().replace(/^#+/, '')));
  if (typeof tags === 'number') return [String(tags)];
  if (!isSeq(tags)) return undefined;
  const values = tags.items.map((item) => (isScalar(item) ? item.value : undefined));
  return values.includes(undefined) ? undefined : unique(values.map((value) => (value === null ? '' : String(value))));
}

function unique(tags: string[]): string[] {
  return [...new Set(tags)].filter((tag) => tag !== '');
}

function isMemoryId(value: unknown): value is string {
  return typeof value === 'string' && MEMORY_ID.test(value);
}

/** Notes of other programs use `id` too, and keep it. */
function idProperty(yaml: Document): string {
  const id = yaml.get('id');
  const isFree = id === undefined || id === null || isMemoryId(id);
  return yaml.has(OWN_ID_PROPERTY) || !isFree ? OWN_ID_PROPERTY : 'id';
}

/** Whether a property is missing or a timestamp such as svc writes. */
function isTimestamp(yaml: Document, name: string): boolean {
  return !yaml.has(name) || TIMESTAMP.test(String(yaml.get(name)));
}

function withoutFraction(timestamp: string): string {
  return timestamp.replace(/\.\d+Z$/, 'Z');
}

type Property = string | string[] | null | undefined;

/** Replaces the lines of properties that differ, and appends those that are missing; `undefined` removes one. */
function withProperties(front: string, properties: Record<string, Property>): string {
  const yaml = documentOf(front);
  let lines = front;
  const pairs = isMap(yaml.contents) ? [...yaml.contents.items] : [];
  // From the end, so that the positions of those before stay right.
  for (const pair of pairs.reverse()) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    if (!Object.hasOwn(properties, name)) continue;
    const value = properties[name];
    if (value !== undefined && isEqual(name, value, yaml)) continue;
    const start = (pair.key as { range: [number, number, number] }).range[0];
    const last = (pair.value as { range?: [number, number, number] } | null)?.range?.[1] ?? start;
    const end = lines.indexOf('\n', Math.max(start, lines[last - 1] === '\n' ? last - 1 : last)) + 1;
    lines = lines.slice(0, start) + renderProperty(name, value) + lines.slice(end);
  }
  const missing = Object.entries(properties).filter(([name]) => !yaml.has(name));
  return lines + missing.map(([name, value]) => renderProperty(name, value)).join('');
}

function isEqual(name: string, value: Property, yaml: Document): boolean {
  if (name === 'tags') return JSON.stringify(tagsIn(yaml)) === JSON.stringify(value);
  const present = yaml.get(name);
  return present === value || (typeof value === 'string' && typeof present === 'number' && String(present) === value);
}

function renderProperty(name: string, value: Property): string {
  if (value === undefined) return '';
  if (value === null) return `${name}:\n`;
  if (typeof value === 'string') return `${name}: ${renderValue(value)}\n`;
  if (value.length === 0) return `${name}: []\n`;
  return `${name}:\n${value.map((item) => `  - ${renderValue(item)}\n`).join('')}`;
}

const PLAIN = /^\p{L}[\p{L}\p{N}_/-]*(?: [\p{L}\p{N}_/-]+)*$/u;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** Words that some YAML parser does not read as text. */
const RESERVED = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf)$/i;
const BREAKS = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/** Renders a text so that nothing in it ends the value. JSON's strings are YAML's. */
function renderValue(value: string): string {
  if (TIMESTAMP.test(value) || (PLAIN.test(value) && !RESERVED.test(value))) return value;
  return JSON.stringify(value).replace(BREAKS, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
