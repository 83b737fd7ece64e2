import { readBasicMemoryNotes } from './basic-memory-notes.ts';
import { readChatgptExport } from './chatgpt-export.ts';
import { readClaudeExport } from './claude-export.ts';
import type { ReadRecords } from './foreign-records.ts';
import { readMcpMemoryGraph } from './mcp-memory-graph.ts';
import { readMem0Export } from './mem0-export.ts';

/** Reads the files of other systems, by the name of the format in the contract. */
export const readForeign: Record<'chatgpt' | 'claude' | 'mem0' | 'basic-memory' | 'mcp-memory', ReadRecords> = {
  chatgpt: readChatgptExport,
  claude: readClaudeExport,
  mem0: readMem0Export,
  'basic-memory': readBasicMemoryNotes,
  'mcp-memory': readMcpMemoryGraph,
};
