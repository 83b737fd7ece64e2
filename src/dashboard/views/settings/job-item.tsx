import type { Decision, Job } from '../../../client/client.ts';
import { formatCounts, isOpen } from '../../../contract/job-states.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { describeError } from '../../errors.ts';
import { formatCount, formatNumber, formatUpcoming } from '../../format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, parameters } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';

const TONES = { queued: '', running: '', done: ' is-accent', failed: ' is-danger', cancelled: '' } as const;

/** A job: its state, model, progress and result, why it waits or failed, and its decisions once they are asked for. */
export function JobItem({ job, onChange }: { job: Job; onChange: () => void }) {
  const { id, state, provider, model, progress, createdAt, error, conversationId } = job;
  const isShown = parameters.value.get('job') === id;
  const remove = async () => {
    try {
      await currentSession().client.jobs.delete(id);
      showToast(isOpen(job) ? 'Job cancelled.' : 'Job removed from the list.');
    } catch (failure) {
      endSessionOn(failure);
      showToast(describeError(failure), 'error');
    }
    onChange();
  };
  return (
    <li class="job">
      <div class="card-head">
        <span class="bar">
          <span class={`chip${TONES[state]}`}>{state}</span>
          <strong>{`${provider ?? ''} ${model ?? ''}`.trim()}</strong>
          <span class="hint">
            <Moment at={createdAt} />
          </span>
        </span>
        <span class="bar">
          <a href={hrefOf('conversations', { id: conversationId })}>Conversation</a>
          {job.result !== null && (
            <button
              type="button"
              class="link"
              aria-expanded={isShown}
              onClick={() => changeParameters({ job: isShown ? undefined : id }, 'replace')}
            >
              Decisions
            </button>
          )}
          <button type="button" class="link danger" onClick={() => void remove()}>
            {isOpen(job) ? 'Cancel' : 'Remove'}
          </button>
        </span>
      </div>
      <p class="hint">{factsOf(job).join(' · ')}</p>
      {isOpen(job) && progress.total > 0 && (
        <ProgressBar label="Messages read" done={progress.done} total={progress.total} />
      )}
      {error && <p class={isOpen(job) ? 'caution' : 'error'}>{describeJobError(job)}</p>}
      {isShown && <Decisions id={id} />}
    </li>
  );
}

function factsOf(job: Job): string[] {
  const { progress, dryRun, used } = job;
  const tokens = formatCount(used.inputTokens + used.outputTokens, 'token', 'tokens');
  return [
    `${progress.done} of ${formatCount(progress.total, 'message', 'messages')} read`,
    describeResult(job),
    used.requests > 0 ? `${formatCount(used.requests, 'call', 'calls')}, ${tokens}` : '',
    used.spend > 0 ? `cost ${formatNumber(used.spend)}` : '',
    dryRun ? 'dry run, nothing stored' : '',
  ].filter((fact) => fact !== '');
}

function describeResult({ result, progress }: Job): string {
  if (result === null) return '';
  if (progress.total === 0) return 'no new messages';
  return formatCounts(result) || 'nothing worth remembering';
}

function describeJobError({ error, nextAttemptAt }: Job): string {
  const againMs = nextAttemptAt === null ? undefined : parseTimestamp(nextAttemptAt);
  return `${error?.message ?? ''}${againMs === undefined ? '' : ` Retrying ${formatUpcoming(againMs)}.`}`;
}

const DECISION_TITLES: Record<Decision['decision'], string> = {
  add: 'added',
  update: 'updated',
  supersede: 'superseded',
  nothing: 'left alone',
};

function Decisions({ id }: { id: string }) {
  const resource = useResource(id, (signal) => currentSession().client.jobs.get(id, { signal }));
  return (
    <Loaded resource={resource} rows={3}>
      {({ result }) => {
        const decisions = result?.decisions ?? [];
        if (decisions.length === 0) return <p class="hint">The model found nothing to remember.</p>;
        return (
          <ul class="decisions">
            {decisions.map((decision, index) => (
              <DecisionRow key={index} decision={decision} />
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

function DecisionRow({ decision }: { decision: Decision }) {
  const { decision: kind, content, memoryId, reason } = decision;
  const isStored = kind !== 'nothing';
  return (
    <li>
      <span class={`chip${isStored ? ' is-accent' : ''}`}>{DECISION_TITLES[kind]}</span>
      <div>
        <p class="content">{content === '' ? 'Erased since' : content}</p>
        {reason !== '' && <p class="hint content">{reason}</p>}
        {memoryId !== null && (
          <p>
            <a href={hrefOf('memories', { id: memoryId })}>Open memory</a>
          </p>
        )}
      </div>
    </li>
  );
}
