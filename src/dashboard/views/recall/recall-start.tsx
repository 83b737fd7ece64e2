import type { Memory } from '../../../client/client.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { distinctSearches } from './earlier-searches.ts';
import { exampleQueries } from './example-queries.ts';
import { RecentSearches } from './recent-searches.tsx';

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
          <div class="recall-start">
            <div class="stack">
              {searches.length > 0 && <RecentSearches searches={searches} />}
              {memories.length > 0 && <Examples memories={memories} />}
            </div>
            <Explanation />
          </div>
        )
      }
    </Loaded>
  );
}

function NothingStored() {
  return (
    <Empty icon="recall" title="There is nothing to recall yet">
      <p>
        Here you see what an assistant finds for a question, and why in this order. Add a memory or connect an assistant
        first.
      </p>
      <div class="buttons">
        <a class="button primary" href={hrefOf('memories', { add: '1' })}>
          Add a memory
        </a>
        <a class="button" href={hrefOf('connect')}>
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

function Explanation() {
  return (
    <section class="card stack">
      <h2>What you will see</h2>
      <ol class="recall-steps">
        <li>
          <strong>The order and its reasons.</strong> Each result has a bar: what shared words, meaning, dates and
          people add to its score.
        </li>
        <li>
          <strong>What learning changed.</strong> Beside it stands the default order, with a line for each result that
          moved.
        </li>
        <li>
          <strong>A way to teach.</strong> Mark what helped and what did not: the next search of the same kind follows.
        </li>
        <li>
          <strong>The prompt itself.</strong> The second tab shows the text that an assistant gets, token for token.
        </li>
      </ol>
    </section>
  );
}
