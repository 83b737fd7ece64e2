import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import { ApiError } from '../../../client/client.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { outcomeOf } from '../../parts/outcome.ts';
import { Outcome } from '../../parts/search-outcome.tsx';
import { hrefOf } from '../../router.ts';
import { userPhrase } from '../../users.ts';

/** Says who asked an earlier question and when, and that it is asked again now. */
export function EarlierNotice({ search }: { search: EarlierSearch }) {
  return (
    <p class="notice earlier">
      <span>
        <strong>{askerOf(search)}</strong> asked this <Moment at={search.createdAt} />
        {userPhrase('for', search.user)}. Below is what it finds now: a mark says which place a result had then, and
        whether it changed since.
      </span>
      <Outcome outcome={outcomeOf(search)} />
    </p>
  );
}

function askerOf({ client }: EarlierSearch): string {
  if (client === WEB_APP_CLIENT) return 'Somebody in the web app';
  return client === null ? 'A program' : titleOfClient(client);
}

/** Says why an earlier search cannot be opened. */
export function EarlierFailure({ error, onRetry }: { error: unknown; onRetry(): void }) {
  if (!(error instanceof ApiError) || error.status !== 404) return <Failure error={error} onRetry={onRetry} />;
  return <EarlierGone />;
}

/** Says that a search is no longer stored. */
export function EarlierGone() {
  return (
    <Empty icon="clock" title="This search is not stored anymore">
      <p>Searches are kept for 24 hours, so that their results can be marked. Ask the question again above.</p>
      <a class="button" href={hrefOf('recall')}>
        Back to Recall
      </a>
    </Empty>
  );
}
