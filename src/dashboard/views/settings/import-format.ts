import type { ImportFormat } from '../../../contract/import-formats.ts';

/** Titles of the formats, for people. */
export const FORMAT_TITLES: Record<ImportFormat, string> = {
  svc: 'svc export',
  lines: 'Lines of text',
  chatgpt: 'ChatGPT export',
  claude: 'Claude export',
  mem0: 'Mem0',
  'basic-memory': 'Basic Memory notes',
  'mcp-memory': 'MCP memory server',
};

/** A file's format, undefined if its content does not tell; or why the file cannot be imported. */
export type Detected = { format: ImportFormat | undefined } | { problem: string };

const UNPACK = 'Unpack it, then drop its conversations.json, memories.json or notes here.';

/** Markers of JSON files that are one value, in keys that are not part of a quoted text. */
const MARKERS: readonly [RegExp, ImportFormat][] = [
  [/(?<!\\)"(?:chat_messages|conversations_memory|project_memories|memory_files)"\s*:/, 'claude'],
  [/(?<!\\)"mapping"\s*:/, 'chatgpt'],
  [/(?<!\\)"(?:results|memory)"\s*:/, 'mem0'],
];

/** Detects the format of a file from its name and the first part of its content. */
export function detectFormat(name: string, head: string): Detected {
  if (/\.zip$/i.test(name) || head.startsWith('PK\u0003\u0004')) return { problem: `This is an archive. ${UNPACK}` };
  if (/\.t?gz$/i.test(name)) return { problem: `This file is compressed. ${UNPACK}` };
  if (/\.md$/i.test(name)) return { format: 'basic-memory' };
  const text = head.replace(/^\ufeff/, '').trimStart();
  if (text === '') return { problem: 'The file is empty.' };
  if (!/^[[{]/.test(text)) return { format: 'lines' };
  return { format: (text.startsWith('{') ? formatOfLine(text) : undefined) ?? formatOfDocument(text) };
}

/** Returns the format of a file whose first line is a JSON object. */
function formatOfLine(text: string): ImportFormat | undefined {
  const fields = parseObject(text.split('\n', 1)[0] ?? '');
  if (!fields) return undefined;
  if (fields.type === 'entity' || fields.type === 'relation') return 'mcp-memory';
  if (typeof fields.content === 'string') return typeof fields.path === 'string' ? 'basic-memory' : 'svc';
  return typeof fields.type === 'string' ? 'svc' : undefined;
}

function formatOfDocument(text: string): ImportFormat | undefined {
  return MARKERS.find(([marker]) => marker.test(text))?.[1];
}

/** Parses a JSON object; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file of the format has one item per line. */
export function isLineFormat(format: ImportFormat): boolean {
  return format !== 'chatgpt' && format !== 'claude' && format !== 'mem0';
}
