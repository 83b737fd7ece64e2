import type { ImportCounts } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';

/** `3 memories, 1 conversation with 12 messages`, or `nothing`. */
export function describeCounts({
  memories,
  conversations,
  messages,
  episodes,
  learned,
  suggestions,
}: ImportCounts): string {
  const messageCount = messages === 0 ? '' : formatCount(messages, 'message', 'messages');
  const conversationCount = conversations === 0 ? '' : formatCount(conversations, 'conversation', 'conversations');
  const parts = [
    memories === 0 ? '' : formatCount(memories, 'memory', 'memories'),
    conversationCount && messageCount ? `${conversationCount} with ${messageCount}` : conversationCount || messageCount,
    episodes === 0 ? '' : formatCount(episodes, 'episode', 'episodes'),
    learned === 0 ? '' : `learned rankings for ${formatCount(learned, 'user', 'users')}`,
    suggestions ? formatCount(suggestions, 'suggestion', 'suggestions') : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
