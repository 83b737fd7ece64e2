import { useEffect, useRef } from 'preact/hooks';
import type { Conversation } from '../../../contract/conversations.ts';
import { conversationName } from '../../conversation-name.ts';
import { formatCount, formatWeekday } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { type PageList, usePageList } from '../../parts/page-list.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { isTyping } from '../../parts/typing.ts';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { hrefOfConnecting } from '../../space.ts';
import { areOwnersShown, areUsersKnown, hasSeveralUsers, searchedUser, userPhrase } from '../../users.ts';
import { groupByDay } from './conversation-days.ts';

const MAX_FOUND = 50;
const MAX_CHARACTERS = 240;

/** The messages that a search finds, each a link to where it was said. */
function FoundMessages({ query, chosen }: { query: string; chosen: string | undefined }) {
  const { client } = currentSession();
  const user = searchedUser.value;
  const found = useResource(
    areUsersKnown.value ? JSON.stringify([query, user]) : undefined,
    async (signal) => {
      const searched = { query, types: ['message' as const], limit: MAX_FOUND, ...(user !== undefined && { user }) };
      const { results } = await client.search(searched, { signal });
      return results.filter((result) => result.type === 'message');
    },
    { keepsPrevious: true },
  );
  return (
    <Loaded resource={found} label="Searching">
      {(messages) => (
        <>
          <h2 class="conversation-day">Messages{userPhrase('of', user)}, best first</h2>
          {messages.length === 0 && (
            <Empty icon="search" title="No message matches">
              <p>Try other words{hasSeveralUsers.value && ', or choose another user above'}.</p>
            </Empty>
          )}
          <ul>
            {messages.map(({ id, conversationId, content, name, role, createdAt }) => (
              <li key={id}>
                <a
                  class="conversation-item"
                  href={hrefOf('conversations', { id: conversationId, message: id, q: query })}
                  aria-current={conversationId === chosen ? 'true' : undefined}
                >
                  <span class="found-text content">
                    <Highlighted text={content.slice(0, MAX_CHARACTERS)} query={query} />
                  </span>
                  <span class="hint">
                    {name ?? role} · <Moment at={createdAt} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

const PAGE_ROWS = 100;
const TYPING_PAUSE_MS = 250;

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
  useEffect(() => onChanges(['conversation'], list.refresh), [list.refresh]);
  const query = parameters.value.get('q')?.trim() ?? '';
  const nav = useRef<HTMLElement>(null);
  useEffect(() => moveByKeys(nav.current!), []);
  return (
    <nav class="conversation-list" aria-label="Conversations" ref={nav}>
      <SearchField label="Search messages" query={query} pauseMs={TYPING_PAUSE_MS} />
      {query !== '' && <FoundMessages query={query} chosen={chosen} />}
      {query === '' && <Index list={list} chosen={chosen} />}
    </nav>
  );
}

/** The conversations that were loaded so far. */
function Index({ list, chosen }: { list: PageList<Conversation>; chosen: string | undefined }) {
  const { rows, total, error, isLoading } = list;
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={list.reload} />}
      {total === undefined && isLoading && <Loading label="Loading conversations" />}
      {total === 0 && (
        <Empty icon="conversation" title="No conversations yet">
          <p>
            Conversations appear here when an assistant or a program stores its messages, so that svc can find them
            again and extract memories from them.
          </p>
          <p>
            <a class="button primary" href={hrefOfConnecting()}>
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
    </>
  );
}

function IndexItem({ conversation, isChosen }: { conversation: Conversation; isChosen: boolean }) {
  const { id, user, messageCount, lastMessageAt, project } = conversation;
  return (
    <a class="conversation-item" href={hrefOf('conversations', { id })} aria-current={isChosen ? 'true' : undefined}>
      <span class="row-text">{conversationName(conversation)}</span>
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
        {areOwnersShown.value && <span class="chip">{user}</span>}
        {project && <span class="chip">{project}</span>}
      </span>
    </a>
  );
}

/** Lets `j` and `k`, and the arrow keys within the list, move between its links. Returns a function that stops it. */
function moveByKeys(nav: HTMLElement): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
    const isInside = event.target instanceof Element && nav.contains(event.target);
    const isDown = event.key === 'j' || (isInside && event.key === 'ArrowDown');
    if (!isDown && event.key !== 'k' && !(isInside && event.key === 'ArrowUp')) return;
    const links = [...nav.querySelectorAll<HTMLElement>('.conversation-item')];
    const focused = links.indexOf(document.activeElement as HTMLElement);
    const from = focused === -1 ? links.findIndex((link) => link.hasAttribute('aria-current')) : focused;
    const next = links[isDown ? from + 1 : Math.max(0, from - 1)];
    next?.focus();
    event.preventDefault();
  };
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}
