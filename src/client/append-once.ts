import { hasCode } from '../contract/named-items.ts';
import type { Client, Message, NewConversation, NewMessage } from './client.ts';
import { messageBatches } from './message-batches.ts';
import { sha256 } from './sha256.ts';

/** A message whose metadata identifies it where it comes from. */
export type SourceMessage = NewMessage & { metadata: Record<string, unknown> };

const LARGEST_PAGE = 200;

/** Creates a conversation, for the same key once, and returns its id. One that has been deleted since is created anew. */
export async function createOnce(client: Client, conversation: NewConversation, key: string): Promise<string> {
  const { conversations } = client;
  const idempotencyKey = await sha256(key);
  const created = await conversations.create(conversation, { idempotencyKey }).catch((error) => {
    if (!hasCode(error, 'gone')) throw error;
    return conversations.create(conversation);
  });
  return created.id;
}

/**
 * Appends the messages after the last one that is stored, by the id in their metadata. `lastId` is that of the last one that
 * was appended before, which a person may have deleted since. Returns those that were found stored, each with the message that
 * was given; what comes before them all may be missing from the answer.
 */
export async function appendNew<Given extends SourceMessage>(
  client: Client,
  conversationId: string,
  messages: readonly Given[],
  idOf: (metadata: Record<string, unknown>) => unknown,
  lastId?: unknown,
): Promise<{ stored: Message; given: Given }[]> {
  const places = new Map(messages.map(({ metadata }, index) => [idOf(metadata), index]));
  const found = new Map<number, Message>();
  const stored = { order: 'newest', limit: LARGEST_PAGE } as const;
  for (let cursor: string | null | undefined; cursor !== null && found.size === 0; ) {
    const page = await client.conversations.messages.list(conversationId, { ...stored, ...(cursor && { cursor }) });
    for (const message of page.data) {
      const place = places.get(idOf(message.metadata));
      if (place !== undefined) found.set(place, message);
    }
    cursor = page.nextCursor;
  }
  const last = Math.max(places.get(lastId) ?? -1, ...found.keys());
  for (const batch of messageBatches(messages.slice(last + 1))) {
    const idempotencyKey = await sha256(JSON.stringify([conversationId, batch.map(({ metadata }) => metadata)]));
    await client.remember({ conversationId, messages: batch }, { idempotencyKey });
  }
  return [...found].map(([place, message]) => ({ stored: message, given: messages[place]! }));
}
