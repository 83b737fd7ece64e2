import { titleOfClient } from '../../cli/assistants/assistant-names.ts';
import type { EarlierSearch } from '../earlier-searches.ts';
import { hrefOf } from '../router.ts';
import { Icon } from '../shell/icon.tsx';
import { areOwnersShown } from '../users.ts';
import { Moment } from './moment.tsx';
import { outcomeOf } from './outcome.ts';
import { Outcome } from './search-outcome.tsx';

/** Searches of assistants and programs in the last day, each of which can be opened again. */
export function RecentSearches({ searches }: { searches: readonly EarlierSearch[] }) {
  return (
    <section class="card">
      <div class="card-head">
        <h2>What assistants asked</h2>
        <span class="hint">last 24 hours</span>
      </div>
      <ul class="recall-examples">
        {searches.map((search) => (
          <li key={search.id}>
            <a href={hrefOf('recall', { searchId: search.id })}>
              <Icon name="clock" size={16} />
              <span class="row-text">{search.query}</span>
              <Outcome outcome={outcomeOf(search)} />
              {search.client && <span class="row-meta">{titleOfClient(search.client)}</span>}
              {areOwnersShown.value && <span class="chip">{search.user}</span>}
              <span class="row-meta recent-time">
                <Moment at={search.createdAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
