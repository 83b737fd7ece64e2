import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { formatCount } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';

const SHOWN_SEARCHES = 3;

/** How often searches showed a memory, how often that helped, and the last question. Left out while it is not known. */
export function MemoryUse({ id }: { id: string }) {
  const { state } = useResource(id, async (signal) => {
    const { client } = currentSession();
    const [use, searches] = await Promise.all([
      client.memories.use(id, { signal }),
      client.searches.list({ limit: 200, exceptClient: WEB_APP_CLIENT }, { signal }),
    ]);
    return { use, searches: searches.data.filter(({ results }) => results.some((result) => result.id === id)) };
  });
  if (!state.value.value) return null;
  const { use, searches } = state.value.value;
  const { shown, used } = use;
  if (shown === 0) return <p class="hint">No search has shown it yet.</p>;
  return (
    <section class="hint">
      <p>
        Shown in {formatCount(shown, 'search', 'searches')}, used{' '}
        {used === 0 ? 'in none' : formatCount(used, 'time', 'times')}.
      </p>
      <ul>
        {searches.slice(0, SHOWN_SEARCHES).map(({ id: searchId, query, client, results, createdAt }) => (
          <li key={searchId}>
            {client === null ? 'A program' : titleOfClient(client)} asked{' '}
            <a href={hrefOf('recall', { searchId })}>“{query}”</a>
            {results.some((result) => result.id === id && result.used) && ' and used it'} <Moment at={createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
