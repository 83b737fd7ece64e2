import { useSignal } from '@preact/signals';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import { ApiError } from '../../../client/client.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { outcomeOf } from '../../parts/outcome.ts';
import { Outcome } from '../../parts/search-outcome.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { areUsersKnown, searchedUser, userPhrase } from '../../users.ts';
import { RecallForm } from './recall-form.tsx';
import { askedBy, type RecallQuery, readRecallQuery } from './recall-query.ts';
import { RecallStart } from './recall-start.tsx';
import { Results } from './results.tsx';

/** Searches as an assistant does: what answers, what an assistant gets, and why. */
export function View() {
  const asked = readRecallQuery(parameters.value);
  const searchId = parameters.value.get('searchId') ?? undefined;
  const stored = useResource(searchId, (signal) => currentSession().client.searches.get(searchId!, { signal }));
  if (searchId === undefined) return <Recall asked={asked} />;
  const { value, error } = stored.state.value;
  if (value?.query) {
    const earlier: EarlierSearch = { ...value, query: value.query };
    return <Recall asked={askedBy(earlier, asked)} earlier={earlier} />;
  }
  return (
    <div class="stack">
      <RecallForm asked={asked} onAgain={stored.reload} />
      {error !== undefined && <EarlierFailure error={error} onRetry={stored.reload} />}
      {value && <EarlierGone />}
      {!value && error === undefined && <Loading label="Opening the search" />}
    </div>
  );
}

function Recall({ asked, earlier }: { asked: RecallQuery; earlier?: EarlierSearch }) {
  /** Counts how often the same question was submitted, so that it runs again. */
  const run = useSignal(0);
  const isReady = earlier !== undefined || chosenUser.value !== undefined || areUsersKnown.value;
  const user = earlier?.user ?? searchedUser.value;
  const isAsked = isReady && asked.query !== '';
  return (
    <div class="stack">
      <RecallForm asked={asked} {...(earlier && { earlier })} onAgain={() => (run.value += 1)} />
      {isReady && !isAsked && asked.topic === undefined && <RecallStart user={user} />}
      {isAsked && earlier && <EarlierNotice search={earlier} />}
      {isAsked && <Results key={run.value} asked={asked} user={user} {...(earlier && { earlier })} />}
    </div>
  );
}

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
