import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isOpen } from '../../../contract/job-states.ts';
import type { Decision, Job } from '../../../contract/jobs.ts';
import { describeError } from '../../errors.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';

const OPEN_INTERVAL_MS = 2000;

/** Jobs that extracted memories from conversations, newest first. */
export function JobList() {
  const { client } = currentSession();
  const list = usePageList('jobs', (cursor, signal) =>
    client.jobs.list({ limit: 50, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  const { rows, total, error, isLoading } = list;
  const hasOpen = rows.some(isOpen);
  useEffect(() => onChanges(['job'], list.refresh), [list.refresh]);
  useEffect(() => {
    if (!hasOpen) return undefined;
    const timer = setInterval(list.refresh, OPEN_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [hasOpen]);
  const end = async (job: Job) => {
    try {
      await client.jobs.delete(job.id);
      list.reload();
    } catch (failure) {
      showToast(describeError(failure), 'error');
    }
  };
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={list.reload} />}
      {total === undefined && isLoading && <Loading label="Loading jobs" />}
      {total === 0 && (
        <Empty icon="clock" title="No jobs yet">
          <p>
            A job reads a conversation and extracts memories from it. Start one in{' '}
            <a href={hrefOf('conversations')}>Conversations</a>, or let it happen automatically in{' '}
            <a href={hrefOf('settings', { section: 'providers' })}>Settings</a>.
          </p>
        </Empty>
      )}
      <ul class="stack">
        {rows.map((job) => (
          <li key={job.id} class="card stack">
            <JobCard job={job} onEnd={() => void end(job)} />
          </li>
        ))}
      </ul>
      {rows.length < (total ?? 0) && (
        <button type="button" onClick={list.loadMore}>
          Load older jobs
        </button>
      )}
    </>
  );
}

const STATE_TITLES: Partial<Record<Job['state'], string>> = { failed: 'Failed', running: 'Running', queued: 'Queued' };

function JobCard({ job, onEnd }: { job: Job; onEnd(): void }) {
  const { progress, result, tidied, used } = job;
  const decided = result ? result.added + result.updated + result.superseded + result.nothing : 0;
  const tokens = used.inputTokens + used.outputTokens;
  return (
    <>
      <div class="card-head">
        <div class="bar">
          <span class={`chip ${job.state === 'failed' ? 'is-danger' : isOpen(job) ? 'is-accent' : ''}`}>
            {STATE_TITLES[job.state] ?? job.state}
          </span>
          {job.conversationId === null ? (
            <a href={hrefOf('review')}>Suggest how to tidy memories</a>
          ) : (
            <a href={hrefOf('conversations', { id: job.conversationId })}>Extract memories from a conversation</a>
          )}
          {job.dryRun && <span class="chip">dry run</span>}
          <span class="hint">
            <Moment at={job.createdAt} />
          </span>
        </div>
        {may('memory') && (
          <button type="button" class="small" onClick={onEnd}>
            {isOpen(job) ? 'Cancel' : 'Remove'}
          </button>
        )}
      </div>
      {isOpen(job) && <progress max={Math.max(1, progress.total)} value={progress.done} aria-label="Progress" />}
      <p class="hint">
        {formatNumber(progress.done)} of{' '}
        {job.kind === 'tidy'
          ? formatCount(progress.total, 'memory', 'memories')
          : formatCount(progress.total, 'message', 'messages')}{' '}
        read
        {job.model && ` by ${job.provider ?? ''} ${job.model}`}
        {tokens > 0 && ` · ${formatCount(tokens, 'token', 'tokens')}`}
        {used.spend > 0 && ` · ${used.spend.toFixed(4)} spent`}
      </p>
      {job.error && (
        <p class={isOpen(job) ? 'caution' : 'error'}>
          {job.error.message}
          {job.nextAttemptAt && (
            <>
              {' '}
              Retrying <Moment at={job.nextAttemptAt} isUpcoming />.
            </>
          )}
        </p>
      )}
      {result && (
        <p>
          {result.added} added · {result.updated} updated · {result.superseded} superseded · {result.nothing} ignored
        </p>
      )}
      {tidied && (
        <p>
          {tidied.suggested} suggested · {tidied.known} known · {tidied.refused} refused
        </p>
      )}
      {result && decided > 0 && <Decisions job={job} count={decided} />}
    </>
  );
}

/** The decisions of a job, which a list of jobs leaves out. They are loaded when opened. */
function Decisions({ job, count }: { job: Job; count: number }) {
  const { client } = currentSession();
  const isShown = useSignal(false);
  const decisions = useResource(isShown.value ? `${job.id} ${job.updatedAt}` : undefined, async (signal) => {
    const { result } = await client.jobs.get(job.id, { signal });
    return result?.decisions ?? [];
  });
  return (
    <details onToggle={(event) => (isShown.value = event.currentTarget.open)}>
      <summary>{formatCount(count, 'decision', 'decisions')}</summary>
      {isShown.value && <Loaded resource={decisions}>{(list) => <DecisionList decisions={list} />}</Loaded>}
    </details>
  );
}

function DecisionList({ decisions }: { decisions: readonly Decision[] }) {
  return (
    <ul class="decisions">
      {decisions.map((one, index) => (
        <li key={index}>
          <span class="chip">{one.decision}</span>{' '}
          {one.memoryId ? (
            <a class="content" href={hrefOf('memories', { id: one.memoryId })}>
              {one.content || one.memoryId}
            </a>
          ) : (
            <span class="content">{one.content}</span>
          )}
          {one.reason && <span class="hint"> {one.reason}</span>}
        </li>
      ))}
    </ul>
  );
}
