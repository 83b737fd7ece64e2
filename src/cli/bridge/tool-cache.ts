import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';

export type ToolList = Record<string, unknown>[];

/** The tools to list while the daemon is unreachable. */
export interface ToolCache {
  /** Returns the daemon's most recent list, or the built-in one. */
  list(): Promise<ToolList>;
  /** Stores the daemon's list. Never throws: the cache is only a convenience. */
  store(tools: ToolList): Promise<void>;
}

const FILE_NAME = 'mcp-tools.json';

/**
 * Caches the daemon's tool list in the settings folder, so that an assistant that starts before the daemon sees the
 * tools it will be able to call. The list is the same for every account and contains no secrets.
 */
export function createToolCache(folder: string): ToolCache {
  const path = join(folder, FILE_NAME);
  let cached: string | undefined;
  const read = async () => {
    cached ??= await readFile(path, 'utf8').catch(() => undefined);
    return cached;
  };
  return {
    async list() {
      const tools = parseTools(await read());
      return tools ?? BUILT_IN;
    },
    async store(tools) {
      const text = JSON.stringify(tools);
      if (tools.length === 0 || text === (await read())) return;
      cached = text;
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
    const valid = Array.isArray(tools) && tools.every((tool) => typeof tool?.name === 'string' && tool.inputSchema);
    return valid && tools.length > 0 ? (tools as ToolList) : undefined;
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

/** Minimal definitions that an assistant can call; replaced by the daemon's own once it has been reached. */
const BUILT_IN: ToolList = [
  tool('memory_search', 'Find memories by meaning and words, best first.', ['query'], {
    query: TEXT,
    user: TEXT,
    limit: COUNT,
  }),
  tool('memory_context', 'Get the memories about a topic as one block of text, with citations.', ['query'], {
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
  tool('memory_delete', 'Permanently delete a memory when the user asks for it.', ['id'], { id: TEXT }),
  tool('memory_get', 'Read one memory in full.', ['id'], { id: TEXT }),
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
  tool('conversation_append', 'Store messages of a conversation word for word.', ['messages'], {
    conversationId: TEXT,
    title: TEXT,
    user: TEXT,
    messages: MESSAGES,
  }),
];
