import type { Conversation } from '../client/client.ts';

/** Name of a conversation in lists: its title, or else its first words. */
export function conversationName({ title, preview }: Pick<Conversation, 'title' | 'preview'>): string {
  return title ?? preview ?? 'Untitled conversation';
}
