import type { StoredSearch } from '../../../client/client.ts';
import { distinctSearches } from '../../earlier-searches.ts';
import { Moment } from '../../parts/moment.tsx';
import { outcomeOf } from '../../parts/outcome.ts';
import { Outcome } from '../../parts/search-outcome.tsx';
import { hrefOf } from '../../router.ts';

const MOST = 9;

/** The questions of the last day that the ranking learned from, each once. */
export function FeedbackFeed({ searches }: { searches: readonly StoredSearch[] }) {
  const learned = distinctSearches(searches.filter((search) => search.learned));
  return (
    <section class="card stack" aria-labelledby="feed-title">
      <div class="card-head">
        <h2 id="feed-title">The questions</h2>
        <span class="hint">
          {learned.length > MOST ? `the latest ${MOST} of ${learned.length}` : 'learned from in the last 24 hours'}
        </span>
      </div>
      {learned.length === 0 ? (
        <p class="hint">
          No search of the last 24 hours got feedback. <a href={hrefOf('recall')}>Mark what helped in Recall</a>
        </p>
      ) : (
        <ul class="feedback-feed">
          {learned.slice(0, MOST).map((search) => (
            <li key={search.id}>
              <a class="row-text" href={hrefOf('recall', { searchId: search.id })}>
                {search.query}
              </a>
              <Outcome outcome={outcomeOf(search)} />
              <span class="row-meta">
                <Moment at={search.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
