import { useEffect, useRef } from 'preact/hooks';
import type { Conversation, Message } from '../../../contract/conversations.ts';
import type { Episode } from '../../../contract/episodes.ts';
import type { Memory } from '../../../contract/memories.ts';
import { formatCount } from '../../format.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { currentSession } from '../../session.ts';
import { MarginNotes, MessageItem } from './message-item.tsx';
import { markMessages, memoriesOfWhole } from './message-marks.ts';

const PAGE_MESSAGES = 100;

interface MessageListProps {
  conversation: Conversation;
  episodes: readonly Episode[];
  memories: readonly Memory[];
  /** The message to scroll to. Pages are loaded until it is there. */
  messageId: string | undefined;
  onChange(): void;
}

/** The messages of a conversation from its start, page by page. */
export function MessageList({ conversation, episodes, memories, messageId, onChange }: MessageListProps) {
  const { client } = currentSession();
  const list = usePageList<Message>(`messages ${conversation.id}`, (cursor, signal) =>
    client.conversations.messages.list(
      conversation.id,
      { order: 'oldest', limit: PAGE_MESSAGES, ...(cursor !== undefined && { cursor }) },
      { signal },
    ),
  );
  const { rows, error, isLoading } = list;
  const isComplete = !isLoading && rows.length >= conversation.messageCount;
  const isFound = messageId === undefined || rows.some(({ id }) => id === messageId);
  const scrolledTo = useRef<string | undefined>(undefined);
  const end = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!isFound && !isComplete && !isLoading) list.loadMore();
  }, [isFound, isComplete, isLoading, rows.length]);
  useEffect(() => {
    if (messageId === undefined || !isFound || scrolledTo.current === messageId) return;
    scrolledTo.current = messageId;
    const target = document.getElementById(messageId);
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }, [messageId, isFound]);
  const shownCount = useRef(conversation.messageCount);
  useEffect(() => {
    if (shownCount.current !== conversation.messageCount) list.reload();
    shownCount.current = conversation.messageCount;
  }, [conversation.messageCount]);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && list.loadMore(), {
      rootMargin: '600px',
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, [rows.length, isLoading]);

  const whole = memoriesOfWhole(memories);
  return (
    <>
      {whole.length > 0 && (
        <details class="whole-memories">
          <summary>{formatCount(whole.length, 'memory', 'memories')} from the conversation as a whole</summary>
          <MarginNotes memories={whole} />
        </details>
      )}
      {error !== undefined && <Failure error={error} onRetry={list.reload} />}
      {rows.length === 0 && isLoading && <Loading label="Loading messages" />}
      {rows.length === 0 && isComplete && (
        <Empty icon="conversation" title="No messages">
          <p>Nothing was stored in this conversation yet.</p>
        </Empty>
      )}
      <ol class="messages">
        {markMessages(rows, episodes, memories).map((marked) => (
          <MessageItem
            key={marked.message.id}
            marked={marked}
            isChosen={marked.message.id === messageId}
            onDeleted={(id) => {
              list.change((messages) => messages.filter((message) => message.id !== id));
              onChange();
            }}
          />
        ))}
      </ol>
      <div ref={end} class="messages-end hint" role="status">
        {!isComplete &&
          rows.length > 0 &&
          `${formatCount(rows.length, 'message', 'messages')} of ${conversation.messageCount} shown`}
      </div>
    </>
  );
}
