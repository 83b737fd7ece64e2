import { formatCounts, isOpen } from '../contract/job-states.ts';
import { parseTimestamp } from '../lib/clock.ts';
import type { Job } from './api.ts';
import { element } from './dom.ts';
import { formatCount, formatUpcoming, timeElement } from './format.ts';

const TONES = { queued: '', running: '', done: 'is-good', failed: 'is-bad', cancelled: 'is-over' } as const;

/** Renders a job: state, model, progress, result, and why it is waiting or has failed. */
export function jobItem(job: Job): HTMLLIElement {
  const { state, provider, model, progress, createdAt, dryRun, error } = job;
  const head = element('p', { class: 'job-name' }, [
    element('span', { class: `badge ${TONES[state]}`.trim() }, state),
    element('strong', {}, `${provider ?? ''} ${model ?? ''}`.trim()),
    element('span', { class: 'hint' }, timeElement(createdAt)),
  ]);
  const read = `${progress.done} of ${formatCount(progress.total, 'message', 'messages')}`;
  const facts = [`${read} read`, describeResult(job), dryRun ? 'dry run, nothing stored' : ''].filter(
    (fact) => fact !== '',
  );
  const item = element('li', { class: 'job' }, [head, element('p', { class: 'hint' }, facts.join(' · '))]);
  if (isOpen(job) && progress.total > 0) item.append(progressBar(progress));
  if (error) item.append(element('p', { class: isOpen(job) ? 'caution' : 'error' }, describeJobError(job)));
  return item;
}

function progressBar({ done, total }: Job['progress']): HTMLElement {
  const fill = element('span', { class: 'fill' });
  fill.style.inlineSize = `${(done / total) * 100}%`;
  const range = { 'aria-valuemin': '0', 'aria-valuemax': String(total), 'aria-valuenow': String(done) };
  return element('div', { class: 'meter', role: 'progressbar', 'aria-label': 'Messages read', ...range }, fill);
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
