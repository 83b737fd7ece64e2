import type { Conversation } from '../client/client.ts';

/** What a conversation is called in lists: its title, or else how it begins. */
export function conversationName({ title, preview }: Pick<Conversation, 'title' | 'preview'>): string {
  return title ?? preview ?? 'Untitled conversation';
}
