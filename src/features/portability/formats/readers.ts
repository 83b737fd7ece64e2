import type { ImportFormat } from '../../../contract/portability.ts';
import { readBasicMemoryNotes } from './basic-memory-notes.ts';
import { readChatgptExport } from './chatgpt-export.ts';
import { readClaudeExport } from './claude-export.ts';
import type { ForeignReader } from './foreign-records.ts';
import type { ImportReader } from './import-reader.ts';
import { readMcpMemoryGraph } from './mcp-memory-graph.ts';
import { readMem0Export } from './mem0-export.ts';
import { readPlainLines } from './plain-lines.ts';
import { readSvcExport } from './svc-export.ts';

/** Readers for files from other systems. */
export const FOREIGN_READERS: Record<Exclude<ImportFormat, 'svc' | 'lines'>, ForeignReader> = {
  chatgpt: readChatgptExport,
  claude: readClaudeExport,
  mem0: readMem0Export,
  'basic-memory': readBasicMemoryNotes,
  'mcp-memory': readMcpMemoryGraph,
};

export const READERS: Record<ImportFormat, ImportReader> = {
  svc: readSvcExport,
  lines: readPlainLines,
  ...FOREIGN_READERS,
};
