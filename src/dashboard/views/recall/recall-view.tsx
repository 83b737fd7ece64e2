import { useSignal } from '@preact/signals';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { Loading } from '../../parts/loading.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { areUsersKnown, searchedUser } from '../../users.ts';
import { EarlierFailure, EarlierGone, EarlierNotice } from './earlier-notice.tsx';
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
