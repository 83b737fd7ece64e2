import { useEffect } from 'preact/hooks';
import type { Job } from '../../../client/client.ts';
import { isOpen, JOB_STATES, type JobState } from '../../../contract/job-states.ts';
import { onChanges } from '../../live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { changeParameters, hrefOf, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { JobItem } from './job-item.tsx';

const POLL_INTERVAL_MS = 3000;

/** Extraction jobs, latest first, with what became of each. */
export function JobsSection() {
  const { client } = currentSession();
  const state = JOB_STATES.find((name) => name === parameters.value.get('state'));
  const jobs = usePageList<Job>(state ?? '', (cursor, signal) =>
    client.jobs.list({ limit: 20, ...(state && { state }), ...(cursor && { cursor }) }, { signal }),
  );
  const hasOpen = jobs.rows.some(isOpen);
  useEffect(() => onChanges(['job'], jobs.reload), []);
  useEffect(() => {
    if (!hasOpen) return undefined;
    const timer = setInterval(() => !document.hidden && jobs.reload(), POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [hasOpen]);
  return (
    <section class="card stack" aria-labelledby="jobs-title">
      <div class="card-head">
        <h2 id="jobs-title">Recent jobs</h2>
        <label class="bar job-filter">
          State
          <select
            value={state ?? ''}
            onChange={({ currentTarget: { value } }) => changeParameters({ state: value as JobState | '' })}
          >
            <option value="">all</option>
            {JOB_STATES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      {jobs.error !== undefined && <Failure error={jobs.error} onRetry={jobs.reload} />}
      {jobs.rows.length === 0 && jobs.isLoading && <Loading rows={4} />}
      {jobs.total === 0 && <NoJobs isFiltered={state !== undefined} />}
      <ul class="job-list" aria-label="Jobs">
        {jobs.rows.map((job) => (
          <JobItem key={job.id} job={job} onChange={jobs.reload} />
        ))}
      </ul>
      {jobs.total !== undefined && jobs.rows.length < jobs.total && (
        <div class="buttons">
          <button type="button" class="small" disabled={jobs.isLoading} onClick={jobs.loadMore}>
            Show more
          </button>
        </div>
      )}
    </section>
  );
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="hint">No job is in this state.</p>;
  return (
    <Empty icon="activity" title="No jobs yet">
      <p>
        A job reads a conversation and extracts memories from it. Start one with Extract in a{' '}
        <a href={hrefOf('conversations')}>conversation</a>, or with <code>svc extract</code>.
      </p>
    </Empty>
  );
}
