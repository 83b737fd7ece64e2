import { useSignal } from '@preact/signals';
import { Loading } from '../../parts/loading.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, chosenUser, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { areUsersKnown, searchedUser } from '../../users.ts';
import { ContextTab } from './context-tab.tsx';
import { EarlierFailure, EarlierGone, EarlierNotice } from './earlier-notice.tsx';
import { askedBy, type EarlierSearch } from './earlier-searches.ts';
import { RankingTab } from './ranking-tab.tsx';
import { RecallForm } from './recall-form.tsx';
import { type RecallQuery, readRecallQuery } from './recall-query.ts';
import { RecallStart } from './recall-start.tsx';

const TABS = [
  { name: 'ranking', title: 'Ranking' },
  { name: 'context', title: 'What an assistant gets' },
] as const;

/** Searches as an assistant does, and shows why the results came in their order. */
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
      <RecallForm asked={asked} tab={chosenTab()} onAgain={stored.reload} />
      {error !== undefined && <EarlierFailure error={error} onRetry={stored.reload} />}
      {value && <EarlierGone />}
      {!value && error === undefined && <Loading label="Opening the search" />}
    </div>
  );
}

function chosenTab(): 'ranking' | 'context' {
  return parameters.value.get('tab') === 'context' ? 'context' : 'ranking';
}

function Recall({ asked, earlier }: { asked: RecallQuery; earlier?: EarlierSearch }) {
  const tab = chosenTab();
  /** Counts how often the same question was submitted, so that it runs again. */
  const run = useSignal(0);
  const isReady = earlier !== undefined || chosenUser.value !== undefined || areUsersKnown.value;
  const user = earlier?.user ?? searchedUser.value;
  const tabs = (
    <Tabs
      label="Shown"
      tabs={TABS}
      chosen={tab}
      onChoose={(name) => changeParameters({ tab: name === 'ranking' ? undefined : name })}
    />
  );
  const isAsked = isReady && asked.query !== '';
  return (
    <div class="stack">
      <RecallForm asked={asked} tab={tab} {...(earlier && { earlier })} onAgain={() => (run.value += 1)} />
      {isReady && !isAsked && <RecallStart user={user} />}
      {isAsked && earlier && tab === 'ranking' && <EarlierNotice search={earlier} />}
      {isAsked && tab === 'ranking' && (
        <RankingTab key={run.value} asked={asked} user={user} tabs={tabs} {...(earlier && { earlier })} />
      )}
      {isAsked && tab === 'context' && <ContextTab key={run.value} asked={asked} user={user} tabs={tabs} />}
    </div>
  );
}
