import type { ImportFormat } from '../../../contract/import-formats.ts';
import { isLineFormat, parseObject } from './import-format.ts';
import { documentSplitter, type ItemSplitter, lineSplitter } from './item-splitter.ts';

/** Contents of a file, as far as it has been read. */
export interface FilePreview {
  /** Number of items by kind, in the order in which the kinds appear. */
  counts: Map<string, number>;
  /** The first items that have a text. */
  items: { kind: string; text: string }[];
}

const SHOWN_ITEMS = 5;
const SHOWN_CHARACTERS = 300;

/** Kinds of lines that are not items. */
const FRAME_KINDS = new Set(['svc-export', 'end']);

/** Reads a file piece by piece and previews its items. */
export function previewReader(format: ImportFormat): { preview: FilePreview; splitter: ItemSplitter } {
  const preview: FilePreview = { counts: new Map(), items: [] };
  const isWanted = () => preview.items.length < SHOWN_ITEMS;
  const onItem = (text: string | undefined) => {
    const kind = kindOf(format, text);
    if (FRAME_KINDS.has(kind)) return;
    preview.counts.set(kind, (preview.counts.get(kind) ?? 0) + 1);
    const shown = text !== undefined && isWanted() ? textOf(format, text)?.trim() : undefined;
    if (shown) preview.items.push({ kind, text: shown.slice(0, SHOWN_CHARACTERS) });
  };
  const splitter = isLineFormat(format)
    ? lineSplitter(onItem)
    : documentSplitter(['results', 'conversations'], isWanted, onItem);
  return { preview, splitter };
}

/** Returns what an item is. Texts of documents are only there for the first items, so their format decides. */
function kindOf(format: ImportFormat, text: string | undefined): string {
  if (format === 'chatgpt' || format === 'claude') return 'conversation';
  if (format === 'lines' || format === 'mem0') return 'memory';
  if (format === 'basic-memory') return 'note';
  return /^\{\s*"type"\s*:\s*"([\w-]+)"/.exec(text ?? '')?.[1] ?? 'memory';
}

/** Returns the text by which a person recognizes an item. */
function textOf(format: ImportFormat, text: string): string | undefined {
  if (format === 'lines') return text;
  const fields = parseObject(text);
  if (!fields) return undefined;
  if (format === 'mcp-memory' && fields.type === 'relation') {
    return [fields.from, fields.relationType, fields.to].join(' ');
  }
  const names = ['memory', 'title', 'path', 'content', 'name'];
  return names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
}
