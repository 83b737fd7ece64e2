import type { ImportGiven } from '../import-items.ts';
import { fault, type ReadRecords, type RecordRead, readMemory, remark } from './foreign-records.ts';
import { type Fields, textOf } from './foreign-values.ts';
import { type FrontMatter, parseNote } from './front-matter.ts';
import { readJsonLines } from './json-lines.ts';
import { sectionsOf } from './markdown-sections.ts';
import { factsOf } from './note-facts.ts';

/**
 * The notes of Basic Memory, Markdown files in a folder, a line each: `{"path": "folder/note.md", "content": "..."}`.
 * Their observations, relations and what else stands under their headings become a memory each. Described at
 * https://docs.basicmemory.com/concepts/knowledge-format.
 */
export const readBasicMemoryNotes: ReadRecords = (bytes, given) =>
  readJsonLines(bytes, (fields, line) => readNote(fields, line, given));

const FORMAT = 'basic-memory';

/** What of a note becomes a memory. */
interface Piece {
  content: string;
  tags: readonly string[];
  metadata: Record<string, unknown>;
}

function* readNote({ path, content }: Fields, line: string, given: ImportGiven): Generator<RecordRead> {
  const place = textOf(path);
  if (place === undefined) return yield fault(line, 'The note has no “path”.');
  if (typeof content !== 'string') return yield fault(place, 'The note has no “content”.');
  const { front, body, wrong } = parseNote(content);
  if (wrong !== undefined) yield fault(place, `Its front matter was read as text: ${wrong}.`);
  const title = front.title ?? place.replace(/^.*\//, '').replace(/\.md$/i, '');
  const about = { path: place, title, ...aboutOf(front) };
  const seen = new Set<string>();
  for (const piece of piecesOf(body, title)) {
    if (seen.has(piece.content)) continue;
    seen.add(piece.content);
    const memory = {
      source: [FORMAT, place, piece.content],
      content: piece.content,
      tags: [...front.tags, ...piece.tags],
      metadata: { ...about, ...piece.metadata },
      occurredMs: front.createdMs,
      createdMs: front.createdMs,
      updatedMs: front.modifiedMs,
    };
    yield readMemory(place, memory, given);
  }
  if (seen.size === 0) yield remark(place, 'The note is empty');
}

function* piecesOf(body: string, title: string): Generator<Piece> {
  const { observations, relations, prose } = factsOf(body);
  for (const { heading, text } of sectionsOf(prose)) {
    yield { content: text, tags: [], metadata: heading === undefined || heading === title ? {} : { heading } };
  }
  for (const { category, text, tags, context } of observations) {
    yield {
      content: text,
      tags: [...(category ? [category] : []), ...tags],
      metadata: { ...(category && { category }), ...(context && { context }) },
    };
  }
  for (const { relationType, target, context } of relations) {
    const metadata = { relation: relationType, target, ...(context && { context }) };
    yield { content: `${title} ${relationType} ${target}`, tags: [], metadata };
  }
}

function aboutOf({ type, permalink }: FrontMatter): Record<string, string> {
  return { ...(type && type !== 'note' && { type }), ...(permalink && { permalink }) };
}
