import { CHATGPT_LISTS, EVERYDAY_LISTS, EXTRACT_LISTS, type OfflineLists, TIDY_LISTS } from './offline-lists.ts';

export type ToolList = Record<string, unknown>[];

/** The tools that a bridge offers, and what it needs to list them while the daemon is unreachable. */
export interface ToolSet {
  /** Path of the daemon's MCP endpoint that offers them. */
  path: string;
  /** File name of the cached list in the settings folder. */
  cacheFile: string;
  builtIn: ToolList;
  lists: OfflineLists;
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
const EVERYDAY_TOOLS: ToolList = [
  tool('memory_search', 'Find memories by meaning and words, best first.', ['query'], {
    query: TEXT,
    wordings: TEXTS,
    user: TEXT,
    limit: COUNT,
  }),
  tool('memory_context', 'Get the memories about a topic as one block of text, with citations.', ['query'], {
    query: TEXT,
    wordings: TEXTS,
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

const TIDY_TOOLS: ToolList = [
  tool('suggestions_list', 'Read a portion of the memories as clusters that may be about the same.', [], {
    user: TEXT,
    project: TEXT,
    cursor: TEXT,
    limit: COUNT,
  }),
  tool('suggestions_propose', 'Propose changes of memories, which a person decides.', ['suggestions'], {
    suggestions: { type: 'array', items: { type: 'object' } },
  }),
];

const EXTRACT_TOOLS: ToolList = [
  tool('messages_list', 'Read the next portion of messages that memories were not extracted from.', [], {
    user: TEXT,
    project: TEXT,
    after: TEXT,
  }),
  tool('memories_store', 'Store the memories extracted from a portion, and read the next one.', [], {
    portion: TEXT,
    memories: { type: 'array', items: { type: 'object' } },
    replaced: { type: 'array', items: { type: 'object' } },
  }),
];

const CHATGPT_TOOLS: ToolList = [
  tool('search', 'Search the memory by meaning and words, best first.', ['query'], { query: TEXT }),
  tool('fetch', 'Read the full text of a search result.', ['id'], { id: TEXT }),
];

/** What `svc mcp` can offer: the tools of every day or, with `--tools`, others. */
export const TOOL_SETS = {
  everyday: {
    path: '/v1/mcp',
    cacheFile: 'mcp-tools.json',
    builtIn: EVERYDAY_TOOLS,
    lists: EVERYDAY_LISTS,
  },
  tidy: {
    path: '/v1/mcp?tools=tidy',
    cacheFile: 'mcp-tools-tidy.json',
    builtIn: TIDY_TOOLS,
    lists: TIDY_LISTS,
  },
  extract: {
    path: '/v1/mcp?tools=extract',
    cacheFile: 'mcp-tools-extract.json',
    builtIn: EXTRACT_TOOLS,
    lists: EXTRACT_LISTS,
  },
  chatgpt: {
    path: '/v1/mcp?tools=chatgpt',
    cacheFile: 'mcp-tools-chatgpt.json',
    builtIn: CHATGPT_TOOLS,
    lists: CHATGPT_LISTS,
  },
} satisfies Record<string, ToolSet>;
