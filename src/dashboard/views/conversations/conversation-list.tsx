import { useEffect } from 'preact/hooks';
import type { Conversation } from '../../../contract/conversations.ts';
import { formatCount, formatWeekday } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { chosenUser, hrefOf, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { groupByDay } from './conversation-days.ts';

const PAGE_ROWS = 100;

/** Conversations, newest first, under the day on which they began. */
export function ConversationList({ chosen }: { chosen: string | undefined }) {
  const { client } = currentSession();
  const user = chosenUser.value;
  const order = parameters.value.get('order') === 'asc' ? 'asc' : 'desc';
  const list = usePageList(`conversations ${user} ${order}`, (cursor, signal) =>
    client.conversations.list(
      {
        limit: PAGE_ROWS,
        order,
        total: true,
        ...(user !== undefined && { user }),
        ...(cursor !== undefined && { cursor }),
      },
      { signal },
    ),
  );
  useEffect(() => onChanges(['conversation'], list.reload), [list.reload]);
  const { rows, total, error, isLoading } = list;
  return (
    <nav class="conversation-list" aria-label="Conversations">
      {error !== undefined && <Failure error={error} onRetry={list.reload} />}
      {total === undefined && isLoading && <Loading label="Loading conversations" />}
      {total === 0 && (
        <Empty icon="conversation" title="No conversations yet">
          <p>
            Conversations appear here when an assistant or a program stores its messages, so that svc can find them
            again and extract memories from them.
          </p>
          <p>
            <a class="button primary" href={hrefOf('connect')}>
              Connect an assistant
            </a>
          </p>
        </Empty>
      )}
      {total !== undefined && total > 0 && <p class="hint">{formatCount(total, 'conversation', 'conversations')}</p>}
      {groupByDay(rows, formatWeekday).map(({ title, conversations }) => (
        <section key={`${title} ${conversations[0]!.id}`}>
          <h2 class="conversation-day">{title}</h2>
          <ul>
            {conversations.map((conversation) => (
              <li key={conversation.id}>
                <IndexItem conversation={conversation} isChosen={conversation.id === chosen} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {total !== undefined && rows.length < total && (
        <button type="button" class="small" disabled={isLoading} onClick={list.loadMore}>
          Load more
        </button>
      )}
    </nav>
  );
}

function IndexItem({ conversation, isChosen }: { conversation: Conversation; isChosen: boolean }) {
  const { id, title, user, messageCount, lastMessageAt, project } = conversation;
  return (
    <a class="conversation-item" href={hrefOf('conversations', { id })} aria-current={isChosen ? 'true' : undefined}>
      <span class={`row-text${title === null ? ' hint' : ''}`}>{title ?? 'Untitled'}</span>
      <span class="conversation-meta hint">
        {formatCount(messageCount, 'message', 'messages')}
        {lastMessageAt && (
          <>
            {' · '}
            <Moment at={lastMessageAt} />
          </>
        )}
      </span>
      <span class="chips">
        {chosenUser.value === undefined && user !== 'default' && <span class="chip">{user}</span>}
        {project && <span class="chip">{project}</span>}
      </span>
    </a>
  );
}
