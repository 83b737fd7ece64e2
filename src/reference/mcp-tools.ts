/** The MCP tools by the id of the operation that does the same. */
export const MCP_TOOLS: Readonly<Record<string, string>> = {
  'search.query': 'memory_search',
  'search.context': 'memory_context',
  'memories.create': 'memory_add',
  'memories.update': 'memory_update',
  'memories.delete': 'memory_delete',
  'memories.get': 'memory_get',
  'memories.list': 'memory_list',
  'searches.feedback': 'memory_feedback',
  'conversations.messages.append': 'conversation_append',
};

/** Arguments of tools whose name differs from the parameter of the operation. */
export const TOOL_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  conversation_append: { id: 'conversationId' },
};
