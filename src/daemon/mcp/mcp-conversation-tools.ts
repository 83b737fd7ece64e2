import { ConversationAppend, ConversationAppended } from '../../contract/conversations.ts';
import type { Conversations } from '../../features/conversations/conversations.ts';
import { appendedText } from './mcp-answers.ts';
import { PROJECT, TIME, USER } from './mcp-notes.ts';
import { APPENDS, type Registration, tool } from './mcp-tool.ts';

/** Tools that store conversations. */
export function conversationTools(conversations: Conversations): Registration[] {
  return [
    tool({
      name: 'conversation_append',
      title: 'Store conversation messages',
      description:
        'Store what was said, verbatim, to be searched later; for a fact learned from it, use memory_add. Send each message once.',
      annotations: APPENDS,
      input: ConversationAppend,
      arguments: {
        conversationId: 'conv_… id to continue',
        title: 'Of a new conversation',
        user: USER,
        project: PROJECT,
        messages: ['In order', { role: 'Whose turn', content: 'What was said', createdAt: TIME }],
      },
      output: ConversationAppended,
      run: (principal, input: ConversationAppend) => conversations.append(principal, input),
      text: appendedText,
    }),
  ];
}
