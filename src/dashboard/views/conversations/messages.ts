import { useEffect, useRef } from 'preact/hooks';
import type { Conversation, Message } from '../../../contract/conversations.ts';
import { type PageList, usePageList } from '../../parts/page-list.ts';
import { currentSession } from '../../session.ts';

const PAGE_MESSAGES = 100;
/** The most that the API returns at once. */
const MAX_PAGE = 200;

interface ConversationMessages extends PageList<Message> {
  /** All messages are loaded. */
  isComplete: boolean;
  /** Erases a message. */
  erase(id: string): Promise<void>;
}

/**
 * Loads the messages of a conversation from its start, page by page, and up to the message sought at once. Messages that
 * are added meanwhile are appended.
 */
export function useMessages(conversation: Conversation, soughtId: string | undefined): ConversationMessages {
  const { messages } = currentSession().client.conversations;
  const { id, messageCount } = conversation;
  const rowsRef = useRef<readonly Message[]>([]);
  const list = usePageList<Message>(`messages ${id}`, async (start, signal) => {
    const data: Message[] = [];
    const has = (rows: readonly Message[]) => rows.some((message) => message.id === soughtId);
    const isSeeking = soughtId !== undefined && !has(start === undefined ? [] : rowsRef.current);
    const limit = isSeeking ? MAX_PAGE : PAGE_MESSAGES;
    for (let cursor = start; ; ) {
      const query = { order: 'oldest' as const, limit, ...(cursor !== undefined && { cursor }) };
      const page = await messages.list(id, query, { signal });
      data.push(...page.data);
      if (!isSeeking || has(page.data) || page.nextCursor === null) return { data, nextCursor: page.nextCursor };
      cursor = page.nextCursor;
    }
  });
  const { rows, total, isLoading, error } = list;
  rowsRef.current = rows;
  const isComplete = !isLoading && error === undefined && total === rows.length;
  const knownCount = useRef(messageCount);
  useEffect(() => {
    const added = messageCount - knownCount.current;
    knownCount.current = messageCount;
    if (added === 0 || (added > 0 && !isComplete)) return undefined;
    if (added < 0 || added > MAX_PAGE) {
      list.reload();
      return undefined;
    }
    const abort = new AbortController();
    messages.list(id, { limit: added }, { signal: abort.signal }).then(
      ({ data }) => {
        if (abort.signal.aborted) return;
        list.change((before) => {
          const last = before.at(-1)?.ordinal ?? 0;
          return [...before, ...data.filter(({ ordinal }) => ordinal > last).reverse()];
        });
      },
      () => abort.signal.aborted || list.reload(),
    );
    return () => abort.abort();
  }, [messageCount]);
  return {
    ...list,
    isComplete,
    erase: async (messageId) => {
      await messages.delete(id, messageId);
      knownCount.current -= 1;
      list.change((before) => before.filter((message) => message.id !== messageId));
    },
  };
}
