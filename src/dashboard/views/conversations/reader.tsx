import { useEffect } from 'preact/hooks';
import { onChanges } from '../../live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { MessageList } from './message-list.tsx';
import { ReaderHead } from './reader-head.tsx';

const NOTES = 200;

/** Reads a conversation: its messages between the episodes they belong to and the memories that came from them. */
export function Reader({ id, messageId }: { id: string; messageId: string | undefined }) {
  const { client } = currentSession();
  const reading = useResource(`conversation ${id}`, async (signal) => {
    const [conversation, episodes, memories] = await Promise.all([
      client.conversations.get(id, { signal }),
      client.episodes.list({ conversationId: id, limit: NOTES }, { signal }).then(({ data }) => data),
      client.memories.list({ source: id, limit: NOTES }, { signal }).then(({ data }) => data),
    ]);
    return { conversation, episodes, memories };
  });
  useEffect(() => onChanges(['conversation', 'memory', 'episode'], reading.reload), [reading.reload]);
  return (
    <article class="reader">
      <p class="reader-back">
        <a href={hrefOf('conversations')}>
          <Icon name="left" size={16} /> All conversations
        </a>
      </p>
      <Loaded resource={reading} label="Loading the conversation">
        {({ conversation, episodes, memories }) => (
          <>
            <ReaderHead conversation={conversation} onChange={reading.reload} />
            <MessageList
              conversation={conversation}
              episodes={episodes}
              memories={memories}
              messageId={messageId}
              onChange={reading.reload}
            />
          </>
        )}
      </Loaded>
    </article>
  );
}
