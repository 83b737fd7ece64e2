import { useEffect } from 'preact/hooks';
import type { Episode } from '../../../contract/episodes.ts';
import { episodeName } from '../../episode-name.ts';
import { formatCount } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Elsewhere } from '../../parts/elsewhere.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf, hrefWith } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { MessageList } from './message-list.tsx';
import { inOrder } from './message-marks.ts';
import { ReaderHead } from './reader-head.tsx';

const PAGE_SIZE = 200;
/** Longer lists are cut off here. */
const MAX_NOTES = 1000;

/** Reads a conversation: its messages between the episodes they belong to and the memories that came from them. */
export function Reader({ id, messageId }: { id: string; messageId: string | undefined }) {
  const { client } = currentSession();
  const reading = useResource(`conversation ${id}`, async (signal) => {
    const [conversation, episodes, memories] = await Promise.all([
      client.conversations.get(id, { signal }),
      collected(client.episodes.list({ conversationId: id, limit: PAGE_SIZE }, { signal })),
      collected(client.memories.list({ source: id, limit: PAGE_SIZE }, { signal })),
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
      <Elsewhere error={reading.state.value.error} />
      <Loaded resource={reading} label="Loading the conversation">
        {({ conversation, episodes, memories }) => (
          <>
            <ReaderHead conversation={conversation} onChange={reading.reload} />
            <Outline episodes={episodes} />
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

/** Reads the pages of a list. */
async function collected<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === MAX_NOTES) break;
  }
  return items;
}

/** The episodes of a conversation, each a link to its first message. */
function Outline({ episodes }: { episodes: readonly Episode[] }) {
  if (episodes.length < 2) return null;
  return (
    <details class="reader-outline">
      <summary>{formatCount(episodes.length, 'episode', 'episodes')}</summary>
      {episodes.some(({ cut }) => cut) && (
        <p class="hint">svc begins an episode where the topic changes or after a pause.</p>
      )}
      <ol>
        {inOrder(episodes).map((episode) => (
          <li key={episode.id}>
            {episode.fromMessageId ? (
              <a href={hrefWith({ message: episode.fromMessageId })}>{episodeName(episode)}</a>
            ) : (
              episodeName(episode)
            )}{' '}
            <span class="hint">
              <Moment at={episode.startedAt} />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
