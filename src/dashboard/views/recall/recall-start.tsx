import type { Memory } from '../../../client/client.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { distinctSearches } from '../../earlier-searches.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { RecentSearches } from '../../parts/recent-searches.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { hrefOfConnecting, may } from '../../space.ts';
import { exampleQueries } from './example-queries.ts';

const RECENT = 8;

/** Shown before the first question: the latest searches of assistants, and suggested questions. */
export function RecallStart({ user }: { user: string | undefined }) {
  const ofUser = user === undefined ? {} : { user };
  const start = useResource(`start ${user} ${chosenUser.value}`, async (signal) => {
    const { client } = currentSession();
    const [memories, searches] = await Promise.all([
      client.memories.list({ limit: 40, ...ofUser }, { signal }),
      client.searches.list(
        { limit: 200, exceptClient: WEB_APP_CLIENT, ...(chosenUser.value !== undefined && ofUser) },
        { signal },
      ),
    ]);
    return { memories: memories.data, searches: distinctSearches(searches.data).slice(0, RECENT) };
  });
  return (
    <Loaded resource={start} label="Loading recent searches">
      {({ memories, searches }) =>
        memories.length === 0 && searches.length === 0 ? (
          <NothingStored />
        ) : (
          <div class="stack">
            {searches.length > 0 && <RecentSearches searches={searches} />}
            {memories.length > 0 && <Examples memories={memories} />}
          </div>
        )
      }
    </Loaded>
  );
}

function NothingStored() {
  return (
    <Empty icon="recall" title="There is nothing to recall yet">
      <p>Here you see what an assistant finds for a question, and why. Add a memory or connect an assistant first.</p>
      <div class="buttons">
        {may('memory') && (
          <a class="button primary" href={hrefOf('memories', { add: '1' })}>
            Add a memory
          </a>
        )}
        <a class="button" href={hrefOfConnecting()}>
          Connect an assistant
        </a>
      </div>
    </Empty>
  );
}

function Examples({ memories }: { memories: readonly Memory[] }) {
  return (
    <section class="card">
      <h2>Try a question about your newest memories</h2>
      <ul class="recall-examples">
        {exampleQueries(memories.map(({ content }) => content)).map((query) => (
          <li key={query}>
            <a href={hrefOf('recall', { q: query })}>
              <Icon name="recall" size={16} />
              <span class="row-text">{query}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
