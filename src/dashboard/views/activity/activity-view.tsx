import { Tabs } from '../../parts/tabs.tsx';
import { changeParameters, parameters } from '../../router.ts';
import { JobList } from './job-list.tsx';
import { RequestList } from './request-list.tsx';
import { SessionList } from './session-list.tsx';

const TABS = [
  { name: 'sessions', title: 'What happened' },
  { name: 'requests', title: 'Log' },
  { name: 'jobs', title: 'Jobs' },
] as const;

/** Shows what clients did, in words, the log of their requests behind it, and the jobs that ran. */
export function View() {
  const tab = TABS.find(({ name }) => name === parameters.value.get('tab'))?.name ?? 'sessions';
  return (
    <div class="stack">
      <div class="bar">
        <Tabs
          label="Activity"
          tabs={TABS}
          chosen={tab}
          onChoose={(name) => changeParameters({ tab: name === 'sessions' ? undefined : name, id: undefined })}
        />
      </div>
      {tab === 'sessions' && <SessionList />}
      {tab === 'requests' && <RequestList />}
      {tab === 'jobs' && <JobList />}
    </div>
  );
}
