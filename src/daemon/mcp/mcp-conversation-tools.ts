import { ConversationAppend, ConversationAppended } from '../../contract/conversations.ts';
import type { Conversations } from '../../features/conversations/conversations.ts';
import { appendedText } from './mcp-answers.ts';
import { toolInput } from './mcp-schemas.ts';
import { APPENDS, type Registration, tool } from './mcp-tool.ts';

/** Tools that store conversations. */
export function conversationTools(conversations: Conversations): Registration[] {
  return [
    tool({
      name: 'conversation_append',
      title: 'Store conversation messages',
      description:
        'Store messages of a conversation verbatim and in order, so that they can be searched later. This is for what was said; for a lasting fact learned from it, use memory_add. Omit conversationId to start a conversation, then append to the id that is returned. Send each message once.',
      annotations: APPENDS,
      input: toolInput<ConversationAppend>(ConversationAppend, {
        conversationId: 'The id (conv_…) that the first call returned; omit it to start a conversation',
        title: 'What a new conversation is about, in a few words',
        user: 'Whose conversation a new one is, if you serve several people; be consistent',
        project: 'The project that a new conversation belongs to, if any; be consistent',
        messages: 'Messages in the order in which they were said',
      }),
      output: ConversationAppended,
      run: (principal, input) => conversations.append(principal, input),
      text: appendedText,
    }),
  ];
}
