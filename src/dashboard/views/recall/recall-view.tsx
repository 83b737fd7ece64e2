import { Tabs } from '../../parts/tabs.tsx';
import { changeParameters, chosenUser, parameters } from '../../router.ts';
import { areUsersKnown, searchedUser } from '../../users.ts';
import { ContextTab } from './context-tab.tsx';
import { RankingTab } from './ranking-tab.tsx';
import { RecallForm } from './recall-form.tsx';
import { readRecallQuery } from './recall-query.ts';
import { RecallStart } from './recall-start.tsx';

/** Searches as an assistant does, and shows why the results came in their order. */
export function View() {
  const asked = readRecallQuery(parameters.value);
  const tab = parameters.value.get('tab') === 'context' ? 'context' : 'ranking';
  const isReady = chosenUser.value !== undefined || areUsersKnown.value;
  const user = searchedUser.value;
  const tabs = (
    <Tabs
      label="Shown"
      tabs={TABS}
      chosen={tab}
      onChoose={(name) => changeParameters({ tab: name === 'ranking' ? undefined : name })}
    />
  );
  return (
    <div class="stack">
      <RecallForm asked={asked} tab={tab} />
      {isReady && asked.query === '' && <RecallStart user={user} />}
      {isReady && asked.query !== '' && tab === 'ranking' && <RankingTab asked={asked} user={user} tabs={tabs} />}
      {isReady && asked.query !== '' && tab === 'context' && <ContextTab asked={asked} user={user} tabs={tabs} />}
    </div>
  );
}

const TABS = [
  { name: 'ranking', title: 'Ranking' },
  { name: 'context', title: 'What an assistant gets' },
] as const;
