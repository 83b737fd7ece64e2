import { Empty } from '../../parts/empty.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { areUsersKnown, hasSeveralUsers, searchedUser, userPhrase } from '../../users.ts';

const MAX_FOUND = 50;
const MAX_CHARACTERS = 240;

/** The messages that a search finds, each a link to where it was said. */
export function FoundMessages({ query, chosen }: { query: string; chosen: string | undefined }) {
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
