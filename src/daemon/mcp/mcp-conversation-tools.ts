import { ConversationAppend, ConversationAppended } from '../../contract/conversations.ts';
import type { Conversations } from '../../features/conversations/conversations.ts';
import { appendedText } from './mcp-answers.ts';
import { toolInput } from './mcp-schemas.ts';
import { APPENDS, type Registration, tool } from './mcp-tool.ts';

/** The tools that keep what was said. */
export function conversationTools(conversations: Conversations): Registration[] {
  return [
    tool({
      name: 'conversation_append',
      title: 'Keep what was said',
      description:
        'Keep messages of a conversation word for word, in order, so that they can be searched later. For what was said; a lasting fact drawn from it is memory_add. Leave conversationId out to begin a conversation, then append to the id that is answered. Send each message once.',
      annotations: APPENDS,
      input: toolInput<ConversationAppend>(ConversationAppend, {
        conversationId: 'The id (conv_…) that the first call answered; left out, a conversation is begun',
        title: 'What a new conversation is about, in a few words',
        user: 'Whose conversation a new one is, where you serve several people; be consistent',
        messages: 'In the order in which they were said',
      }),
      output: ConversationAppended,
      run: (principal, input) => conversations.append(principal, input),
      text: appendedText,
    }),
  ];
}
