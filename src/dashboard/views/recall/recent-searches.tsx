import { Moment } from '../../parts/moment.tsx';
import { outcomeOf } from '../../parts/outcome.ts';
import { Outcome } from '../../parts/search-outcome.tsx';
import { chosenUser, hrefOf } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import type { EarlierSearch } from './earlier-searches.ts';

/** Searches of assistants and programs in the last day, each of which can be opened again. */
export function RecentSearches({ searches }: { searches: readonly EarlierSearch[] }) {
  return (
    <section class="card">
      <h2>What assistants asked last</h2>
      <ul class="recall-examples">
        {searches.map((search) => (
          <li key={search.id}>
            <a href={hrefOf('recall', { searchId: search.id })}>
              <Icon name="clock" size={16} />
              <span class="row-text">{search.query}</span>
              <Outcome outcome={outcomeOf(search)} />
              {search.client && <span class="row-meta">{search.client}</span>}
              {chosenUser.value === undefined && <span class="chip">{search.user}</span>}
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
