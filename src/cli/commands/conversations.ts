import { Command } from 'commander';
import { CONVERSATIONS } from '../conversations/conversation-kind.ts';
import { type ExtractionContext, extractConversationsCommand } from '../conversations/extract-conversations.ts';
import { showConversationCommand } from '../conversations/show-conversation.ts';
import { forgetItemsCommand } from '../items/forget-items.ts';
import { listItemsCommand } from '../items/list-items.ts';

const HELP = `
Without a command, lists the conversations. When output is not a terminal, it
prints one line per conversation with tab-separated fields: id, messages, time of
the last message, user, project, title.

Examples:
  $ svc conversations
  $ svc conversations --project atlas --limit 100
  $ svc conversations show 5b7c90ae
  $ svc conversations extract
  $ svc conversations forget 5b7c90ae`;

/** `svc conversations`: lists stored conversations, shows and erases them, and extracts memories from them. */
export function conversationsCommand(context: ExtractionContext): Command {
  return new Command('conversations')
    .description('list stored conversations, show or erase them, extract memories')
    .addHelpText('after', HELP)
    .addCommand(listItemsCommand(context, CONVERSATIONS), { isDefault: true })
    .addCommand(showConversationCommand(context))
    .addCommand(extractConversationsCommand(context))
    .addCommand(forgetItemsCommand(context, CONVERSATIONS));
}
