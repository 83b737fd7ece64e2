import { type ForeignReader, fault, type ItemSteps, readMemory, skipped } from './foreign-records.ts';
import { type Fields, textOf } from './foreign-values.ts';
import { type FrontMatter, parseNote } from './front-matter.ts';
import type { ReaderOptions } from './import-reader.ts';
import { readJsonLines } from './lines.ts';
import { type Section, splitSections } from './markdown-sections.ts';
import { parseNoteFacts } from './note-facts.ts';

/**
 * Reads the Markdown notes of Basic Memory, one per line: `{"path": "folder/note.md", "content": "..."}`. Each
 * observation, relation and section of prose becomes a memory. Format:
 * https://docs.basicmemory.com/concepts/knowledge-format
 */
export const readBasicMemoryNotes: ForeignReader = (bytes, options) =>
  readJsonLines(bytes, options, (fields, line) => readNote(fields, line, options));

const FORMAT = 'basic-memory';

/** A part of a note that becomes a memory. */
interface NotePart {
  content: string;
  tags: readonly string[];
  metadata: Record<string, unknown>;
}

function* readNote({ path, content, problem: unread }: Fields, line: string, options: ReaderOptions): ItemSteps {
  const place = textOf(path);
  if (place === undefined) return yield fault(line, 'The note has no “path”.');
  if (typeof content !== 'string') return yield fault(place, textOf(unread) ?? 'The note has no “content”.');
  const { front, body, problem } = yield* parseNote(content);
  if (problem !== undefined) yield fault(place, `Front matter was read as text: ${problem}.`);
  const title = front.title ?? place.replace(/^.*\//, '').replace(/\.md$/i, '');
  const noteMetadata = { path: place, title, ...metadataOf(front) };
  const seen = new Set<string>();
  for (const part of splitNote(body, title)) {
    yield undefined;
    if (!part || seen.has(part.content)) continue;
    seen.add(part.content);
    const memory = {
      source: [FORMAT, place, part.content],
      content: part.content,
      tags: [...front.tags, ...part.tags],
      metadata: { ...noteMetadata, ...part.metadata },
      occurredMs: front.createdMs,
      createdMs: front.createdMs,
      updatedMs: front.modifiedMs,
    };
    yield readMemory(place, memory, options);
  }
  if (seen.size === 0) yield skipped(place, 'The note is empty');
}

function* splitNote(body: string, title: string): Generator<NotePart | undefined> {
  const { observations, relations, prose } = yield* parseNoteFacts(body);
  for (const section of splitSections(prose)) yield section && partOf(section, title);
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

function partOf({ heading, text }: Section, title: string): NotePart {
  return { content: text, tags: [], metadata: heading === undefined || heading === title ? {} : { heading } };
}

function metadataOf({ type, permalink }: FrontMatter): Record<string, string> {
  return { ...(type && type !== 'note' && { type }), ...(permalink && { permalink }) };
}
