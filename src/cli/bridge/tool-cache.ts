import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';

export type ToolList = Record<string, unknown>[];

/** The tools to list while the daemon is out of reach. */
export interface ToolCache {
  /** Those that the daemon listed last, else the built-in ones. */
  list(): Promise<ToolList>;
  /** Keeps what the daemon lists. Never throws: it is a convenience. */
  remember(tools: ToolList): Promise<void>;
}

const FILE_NAME = 'mcp-tools.json';

/**
 * Remembers the daemon's own list in the settings folder. It is the same for every account and holds nothing secret, so
 * that an assistant which starts before the daemon sees what it will be able to call.
 */
export function createToolCache(folder: string): ToolCache {
  const path = join(folder, FILE_NAME);
  let kept: string | undefined;
  const read = async () => {
    kept ??= await readFile(path, 'utf8').catch(() => undefined);
    return kept;
  };
  return {
    async list() {
      const tools = parseTools(await read());
      return tools ?? BUILT_IN;
    },
    async remember(tools) {
      const text = JSON.stringify(tools);
      if (tools.length === 0 || text === (await read())) return;
      kept = text;
      const draft = `${path}.${process.pid}`;
      await makeFolder(folder)
        .then(() => writeFile(draft, text, { mode: 0o600 }))
        .then(() => rename(draft, path))
        .catch(() => {});
    },
  };
}

function parseTools(text: string | undefined): ToolList | undefined {
  if (text === undefined) return undefined;
  try {
    const tools: unknown = JSON.parse(text);
    const whole = Array.isArray(tools) && tools.every((tool) => typeof tool?.name === 'string' && tool.inputSchema);
    return whole && tools.length > 0 ? (tools as ToolList) : undefined;
  } catch {
    return undefined;
  }
}

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const MESSAGES = {
  type: 'array',
  items: { type: 'object', properties: { role: TEXT, content: TEXT }, required: ['role', 'content'] },
};
const TIME = { type: 'string', format: 'date-time' };
const COUNT = { type: 'integer', minimum: 1 };

function tool(name: string, description: string, required: string[], properties: Record<string, object>) {
  return { name, description, inputSchema: { type: 'object', properties, required } };
}

/** The least that lets an assistant call them; the daemon's own descriptions take their place at the first contact. */
const BUILT_IN: ToolList = [
  tool('memory_search', 'Find memories by meaning and words, best first.', ['query'], {
    query: TEXT,
    user: TEXT,
    limit: COUNT,
  }),
  tool('memory_context', 'Get what is remembered about a topic as one block of text, with citations.', ['query'], {
    query: TEXT,
    user: TEXT,
    maxTokens: COUNT,
  }),
  tool('memory_add', 'Store one lasting, self-contained fact for later conversations.', ['content'], {
    content: TEXT,
    user: TEXT,
    tags: TEXTS,
    occurredAt: TIME,
    expiresAt: TIME,
    supersedes: TEXT,
  }),
  tool('memory_update', 'Correct a memory; only the given fields change.', ['id'], {
    id: TEXT,
    content: TEXT,
    tags: TEXTS,
  }),
  tool('memory_delete', 'Delete a memory for good, at the user’s wish.', ['id'], { id: TEXT }),
  tool('memory_get', 'Read one memory whole.', ['id'], { id: TEXT }),
  tool('memory_list', 'Page through memories, newest first.', [], {
    user: TEXT,
    tag: TEXT,
    limit: COUNT,
    cursor: TEXT,
  }),
  tool('memory_feedback', 'Say which results of a search helped, so that later ones rank better.', ['searchId'], {
    searchId: TEXT,
    used: TEXTS,
    irrelevant: TEXTS,
  }),
  tool('conversation_append', 'Keep messages of a conversation word for word.', ['messages'], {
    conversationId: TEXT,
    title: TEXT,
    user: TEXT,
    messages: MESSAGES,
  }),
];
