import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, type Client } from '../../../client/client.ts';
import { sleep } from '../../../client/retries.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import { isOpen } from '../../../contract/job-states.ts';
import type { Job } from '../../../contract/jobs.ts';
import { describeError } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { DecisionCard } from './decision-card.tsx';

const LOOK_INTERVAL_MS = 700;

/** Failures that end once the settings are right: of the request, or of the job. */
const SETUP_CODES = new Set(['unprocessable', 'refused', 'out_of_scope', 'address']);

interface Problem {
  message: string;
  isSetup: boolean;
}

/** Reads the conversation with the account's model without storing anything, and lets each decision be accepted. */
export function Extraction({ conversation }: { conversation: Conversation }) {
  const { client } = currentSession();
  const attempt = useSignal(0);
  const job = useSignal<Job | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    job.value = undefined;
    problem.value = undefined;
    follow(client, conversation.id, abort.signal, (found) => (job.value = found)).catch((error) => {
      if (!abort.signal.aborted) problem.value = problemOf(error);
    });
    return () => {
      abort.abort();
      // Its result would not be shown.
      if (job.peek() && isOpen(job.peek()!)) client.jobs.delete(job.peek()!.id).catch(() => undefined);
    };
  }, [attempt.value]);
  const found = job.value;
  const failed = problem.value ?? (found?.state === 'failed' ? failureOf(found) : undefined);
  if (failed) return <ExtractionFailed problem={failed} onRetry={() => (attempt.value += 1)} />;
  if (!found || isOpen(found)) return <Reading job={found} />;
  const decisions = (found.result?.decisions ?? []).filter(({ decision }) => decision !== 'nothing');
  if (decisions.length === 0) return <p role="status">The model found nothing new to remember.</p>;
  return (
    <section class="stack" aria-label="Suggestions">
      <p class="hint" role="status">
        {formatCount(decisions.length, 'suggestion', 'suggestions')}. Nothing is stored until you accept it.
      </p>
      <ul class="stack">
        {decisions.map((decision, index) => (
          <li key={index}>
            <DecisionCard decision={decision} conversation={conversation} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Starts a dry run and reports its job until it has ended. */
async function follow(
  client: Client,
  conversationId: string,
  signal: AbortSignal,
  report: (job: Job) => void,
): Promise<void> {
  const { jobId } = await client.conversations.extract(conversationId, { dryRun: true, again: true }, { signal });
  for (;;) {
    const job = await client.jobs.get(jobId, { signal });
    report(job);
    if (!isOpen(job)) return;
    await sleep(LOOK_INTERVAL_MS, signal);
  }
}

function problemOf(error: unknown): Problem {
  return { message: describeError(error), isSetup: error instanceof ApiError && SETUP_CODES.has(error.code) };
}

function failureOf({ error }: Job): Problem {
  return { message: error?.message ?? 'The job failed.', isSetup: SETUP_CODES.has(error?.code ?? '') };
}

/** Says that the model is reading, or why it has not answered yet. */
function Reading({ job }: { job: Job | undefined }) {
  if (!job?.error) return <p role="status">Reading the conversation…</p>;
  return (
    <div class="caution" role="status">
      <p>
        The model did not answer.{' '}
        {job.nextAttemptAt && (
          <>
            svc tries again <Moment at={job.nextAttemptAt} isUpcoming />.
          </>
        )}
      </p>
      <p>What happened: {job.error.message}</p>
    </div>
  );
}

function ExtractionFailed({ problem, onRetry }: { problem: Problem; onRetry(): void }) {
  return (
    <div class="notice is-error stack" role="alert">
      <p>{problem.message} Nothing was stored.</p>
      {problem.isSetup && (
        <p>
          Extraction needs a provider key that works, and a model:{' '}
          <a href={hrefOf('settings', { section: 'providers' })}>Settings</a>. Without a key,{' '}
          <code>svc extract --with claude</code> lets an assistant on your machine read what was said lately.
        </p>
      )}
      <div class="buttons">
        <button type="button" class="small" onClick={onRetry}>
          Try again
        </button>
      </div>
    </div>
  );
}
