import { Tabs } from '../../parts/tabs.tsx';
import { changeParameters, parameters } from '../../router.ts';
import { JobList } from './job-list.tsx';
import { RequestList } from './request-list.tsx';

const TABS = [
  { name: 'requests', title: 'Requests' },
  { name: 'jobs', title: 'Jobs' },
] as const;

/** Shows the requests to the account, with client and latency, and the jobs that ran. */
export function View() {
  const tab = parameters.value.get('tab') === 'jobs' ? 'jobs' : 'requests';
  return (
    <div class="stack">
      <div class="bar">
        <Tabs
          label="Activity"
          tabs={TABS}
          chosen={tab}
          onChoose={(name) => changeParameters({ tab: name === 'jobs' ? name : undefined, id: undefined })}
        />
      </div>
      {tab === 'jobs' ? <JobList /> : <RequestList />}
    </div>
  );
}
