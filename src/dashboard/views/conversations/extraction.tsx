import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Conversation } from '../../../contract/conversations.ts';
import type { Decision, Job } from '../../../contract/jobs.ts';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import { showToast } from '../../parts/toasts.tsx';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';

const LOOK_INTERVAL_MS = 700;

/** Reads the conversation with the account's model without storing anything, and lets each decision be accepted. */
export function Extraction({ conversation }: { conversation: Conversation }) {
  const { client } = currentSession();
  const job = useSignal<Job | undefined>(undefined);
  const failure = useSignal('');
  useEffect(() => {
    const abort = new AbortController();
    const run = async () => {
      const { jobId } = await client.conversations.extract(
        conversation.id,
        { dryRun: true, again: true },
        { signal: abort.signal },
      );
      job.value = await client.jobs.wait(jobId, { intervalMs: LOOK_INTERVAL_MS, signal: abort.signal });
    };
    run().catch((error) => {
      if (!abort.signal.aborted) failure.value = describeError(error);
    });
    return () => abort.abort();
  }, []);
  const ended = job.value;
  if (failure.value || ended?.error) {
    return (
      <div class="notice is-error" role="alert">
        <p>{failure.value || ended?.error?.message}</p>
        <p>
          Extraction needs a provider key and a model:{' '}
          <a href={hrefOf('settings', { section: 'providers' })}>Settings</a>.
        </p>
      </div>
    );
  }
  if (!ended) return <p role="status">Reading the conversation…</p>;
  const decisions = (ended.result?.decisions ?? []).filter(({ decision }) => decision !== 'nothing');
  if (decisions.length === 0) return <p role="status">The model found nothing new to remember.</p>;
  return (
    <ul class="stack">
      {decisions.map((decision, index) => (
        <li key={index}>
          <DecisionCard decision={decision} conversation={conversation} />
        </li>
      ))}
    </ul>
  );
}

const DECISION_TITLES: Record<Decision['decision'], string> = {
  add: 'Add',
  update: 'Update a memory',
  supersede: 'Replace a memory',
  nothing: 'Ignore',
};

function DecisionCard({ decision, conversation }: { decision: Decision; conversation: Conversation }) {
  const outcome = useSignal<'open' | 'busy' | 'accepted' | 'dismissed'>('open');
  const accept = async () => {
    outcome.value = 'busy';
    try {
      await carryOut(decision, conversation);
      outcome.value = 'accepted';
      announce('memory');
    } catch (error) {
      outcome.value = 'open';
      showToast(describeError(error), 'error');
    }
  };
  const { content, reason, targetId } = decision;
  return (
    <div class="card decision">
      <p>
        <span class="chip is-accent">{DECISION_TITLES[decision.decision]}</span>{' '}
        {targetId && <a href={hrefOf('memories', { id: targetId })}>the one it concerns</a>}
      </p>
      <p class="content">{content}</p>
      {reason && <p class="hint content">{reason}</p>}
      {outcome.value === 'accepted' && <p class="success">Stored.</p>}
      {outcome.value === 'dismissed' && <p class="hint">Dismissed.</p>}
      {(outcome.value === 'open' || outcome.value === 'busy') && (
        <div class="buttons">
          <button type="button" class="small primary" disabled={outcome.value === 'busy'} onClick={() => void accept()}>
            Accept
          </button>
          <button type="button" class="small" onClick={() => (outcome.value = 'dismissed')}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

async function carryOut({ decision, content, targetId, messageIds }: Decision, { id, user, project }: Conversation) {
  const { memories } = currentSession().client;
  const [messageId] = messageIds;
  const source = { conversationId: id, ...(messageId !== undefined && { messageId }) };
  const created = { content, user, source, ...(project !== null && { project }) };
  if (decision === 'update' && targetId) await memories.update(targetId, { content });
  else await memories.create({ ...created, ...(decision === 'supersede' && targetId && { supersedes: targetId }) });
}
