import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Conversation } from '../../../contract/conversations.ts';
import type { Episode } from '../../../contract/episodes.ts';
import type { Memory } from '../../../contract/memories.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { MarginNotes, MessageItem } from './message-item.tsx';
import { isSameMark, type MarkedMessage, markMessages, memoriesOfWhole } from './message-marks.ts';
import { useMessages } from './messages.ts';

/** Messages shown before the one that the address names. */
const LEAD = 30;
const EARLIER = 100;
/** A message further down than this is shown without those before it. */
const MAX_LEAD = 300;

interface MessageListProps {
  conversation: Conversation;
  episodes: readonly Episode[];
  memories: readonly Memory[];
  /** The message to scroll to and to mark. */
  messageId: string | undefined;
  onChange(): void;
}

/** The messages of a conversation: from its start, or around the one that the address names. */
export function MessageList({ conversation, episodes, memories, messageId, onChange }: MessageListProps) {
  const list = useMessages(conversation, messageId);
  const { rows, error, isLoading, isComplete } = list;
  const first = useSignal(0);
  const target = messageId === undefined ? -1 : rows.findIndex(({ id }) => id === messageId);
  const isSought = messageId !== undefined && target === -1;
  const scrolledTo = useRef<string | undefined>(undefined);
  const end = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isSought && !isComplete && !isLoading) list.loadMore();
  }, [isSought, isComplete, isLoading]);
  useEffect(() => {
    if (target === -1 || scrolledTo.current === messageId) return;
    if (target < first.value || target > first.value + MAX_LEAD) {
      first.value = Math.max(0, target - LEAD);
      return;
    }
    scrolledTo.current = messageId;
    const element = document.getElementById(messageId!);
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  }, [messageId, target, first.value]);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && list.loadMore(), {
      rootMargin: '600px',
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, [rows.length, isLoading]);

  const marked = useMemo(() => markMessages(rows, episodes, memories), [rows, episodes, memories]);
  const erase = (id: string) => list.erase(id).then(onChange);
  // The first message shown names its episode, wherever that began.
  const shown = marked.slice(first.value).map((mark, index) => (index === 0 ? { ...mark, beginsEpisode: true } : mark));
  const items = useItems(shown, messageId, erase);
  const whole = memoriesOfWhole(memories);
  return (
    <>
      {whole.length > 0 && (
        <details class="whole-memories">
          <summary>{formatCount(whole.length, 'memory', 'memories')} from the conversation as a whole</summary>
          <MarginNotes memories={whole} />
        </details>
      )}
      {error !== undefined && <Failure error={error} onRetry={list.retry} />}
      {isSought && isComplete && (
        <p class="notice">The message is not in this conversation. It may have been erased.</p>
      )}
      {rows.length === 0 && isLoading && <Loading label="Loading messages" />}
      {rows.length === 0 && isComplete && (
        <Empty icon="conversation" title="No messages">
          <p>Nothing was stored in this conversation yet.</p>
        </Empty>
      )}
      {first.value > 0 && (
        <button type="button" class="small" onClick={() => (first.value = Math.max(0, first.value - EARLIER))}>
          Show earlier messages ({formatNumber(first.value)})
        </button>
      )}
      <ol class="messages">{items}</ol>
      <div ref={end} class="messages-end hint" role="status">
        {!isComplete &&
          rows.length > 0 &&
          `${formatCount(rows.length, 'message', 'messages')} of ${formatNumber(conversation.messageCount)} loaded`}
      </div>
    </>
  );
}

/** Renders messages, and keeps what was rendered of those that have not changed. */
function useItems(
  marked: readonly MarkedMessage[],
  chosenId: string | undefined,
  onErase: (id: string) => Promise<void>,
): VNode[] {
  const erase = useRef(onErase);
  erase.current = onErase;
  const known = useRef(new Map<string, { mark: MarkedMessage; isChosen: boolean; item: VNode }>());
  const rendered: typeof known.current = new Map();
  for (const mark of marked) {
    const { id } = mark.message;
    const isChosen = id === chosenId;
    const before = known.current.get(id);
    const isSame = before?.isChosen === isChosen && isSameMark(before.mark, mark);
    rendered.set(
      id,
      isSame
        ? before
        : {
            ...{ mark, isChosen },
            item: <MessageItem key={id} marked={mark} isChosen={isChosen} onErase={() => erase.current(id)} />,
          },
    );
  }
  known.current = rendered;
  return [...rendered.values()].map(({ item }) => item);
}
