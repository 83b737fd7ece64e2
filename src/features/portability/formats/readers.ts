import type { ImportFormat } from '../../../contract/portability.ts';
import type { ReadItems } from '../import-items.ts';
import { readBasicMemoryNotes } from './basic-memory-notes.ts';
import { readChatgptExport } from './chatgpt-export.ts';
import { readClaudeExport } from './claude-export.ts';
import type { ReadRecords } from './foreign-records.ts';
import { readMcpMemoryGraph } from './mcp-memory-graph.ts';
import { readMem0Export } from './mem0-export.ts';
import { readPlainLines } from './plain-lines.ts';
import { readSvc } from './read-svc.ts';

/** What reads the files of other systems, by format. */
export const FOREIGN_READERS: Record<Exclude<ImportFormat, 'svc' | 'lines'>, ReadRecords> = {
  chatgpt: readChatgptExport,
  claude: readClaudeExport,
  mem0: readMem0Export,
  'basic-memory': readBasicMemoryNotes,
  'mcp-memory': readMcpMemoryGraph,
};

/** What reads each format. */
export const READERS: Record<ImportFormat, ReadItems> = { svc: readSvc, lines: readPlainLines, ...FOREIGN_READERS };
