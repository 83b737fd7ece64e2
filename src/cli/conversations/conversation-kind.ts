import type { Conversation } from '../../contract/conversations.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { ItemKind } from '../items/item-kind.ts';
import { ownerFacts } from '../items/titled-card.ts';
import { CONVERSATION } from '../memory/find-id.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { formatCount } from '../number-format.ts';

export const CONVERSATIONS: ItemKind<Conversation> = {
  id: CONVERSATION,
  list: (client, query) => client.conversations.list(query),
  get: (client, id) => client.conversations.get(id),
  delete: (client, id, options) => client.conversations.delete(id, options),
  facts: conversationFacts,
  cells: ({ messageCount, lastMessageAt, user, project }) => [
    String(messageCount),
    lastMessageAt ?? '',
    user,
    project ?? '',
  ],
  emptyText: 'No conversations yet. Assistants store them, or svc import does.',
  forgetText: 'Erases the conversation, its messages and the episodes that svc cut from it. Memories stay.',
};

/** The number of messages, the time of the last, the user and the project. */
export function conversationFacts(conversation: Conversation, nowMs: number): string[] {
  const { messageCount, lastMessageAt } = conversation;
  const lastMs = lastMessageAt === null ? undefined : parseTimestamp(lastMessageAt);
  return [
    messageCount === 0 ? 'no messages' : `${formatCount(messageCount)} message${messageCount === 1 ? '' : 's'}`,
    ...(lastMs === undefined ? [] : [`last ${formatRelativeTime(lastMs, nowMs)}`]),
    ...ownerFacts(conversation),
  ];
}
