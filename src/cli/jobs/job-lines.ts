import { formatCounts, isOpen } from '../../contract/job-states.ts';
import type { Decision, Job } from '../../contract/jobs.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { innerWidth, type RenderOptions } from '../memory/memory-card.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { shortId } from '../memory/short-id.ts';
import { oneLine, padToWidth, printable, wrap } from '../memory/terminal-text.ts';
import type { Style } from '../output.ts';
import { describeUsage } from '../providers/settings-lines.ts';

const TONES = {
  queued: 'caution',
  running: 'caution',
  done: 'good',
  failed: 'bad',
  cancelled: 'dim',
} as const satisfies Record<Job['state'], keyof Style>;
const LABEL_WIDTH = 11;

/** Formats a job: the short id in the margin, state and model, and below them its progress and error. */
export function jobCard(job: Job, label: string, { columns, style, nowMs }: RenderOptions): string {
  const width = innerWidth(columns, label);
  const lines = jobFacts(job, nowMs).flatMap((fact) => wrap(fact, width));
  const model = job.provider === null ? '' : `  ${job.provider} ${printable(job.model ?? '')}`;
  const head = `${style.bold(padToWidth(label, label.length + 2))}${style[TONES[job.state]](job.state)}${model}`;
  const error = job.error === null ? [] : wrap(`${describeError(job, nowMs)}`, width).map((line) => style.bad(line));
  const margin = ' '.repeat(label.length + 2);
  return [head, ...[...lines.map((line) => style.dim(line)), ...error].map((line) => margin + line)].join('\n');
}

function jobFacts(job: Job, nowMs: number): string[] {
  const { conversationId, dryRun, progress, createdAt, used, result, tidied } = job;
  const createdText = formatRelativeTime(parseTimestamp(createdAt) ?? nowMs, nowMs);
  const read = `${progress.done} of ${itemsOf(job)}`;
  const about = conversationId === null ? aboutTidy(job) : `conversation ${shortId(conversationId)}`;
  const summary = `${about} · ${read} · ${createdText}${dryRun ? ' · dry run' : ''}`;
  return [
    summary,
    ...(result === null ? [] : [describeResult(job)]),
    ...(tidied === null ? [] : [describeTidied(job)]),
    ...(used.requests > 0 ? [describeUsage(used)] : []),
  ];
}

/** Whose memories are tidied: `user ada, project website`. */
function aboutTidy({ user, project }: Job): string {
  const ofProject = project === null ? '' : `, project ${printable(project)}`;
  return `user ${printable(user ?? '')}${ofProject}`;
}

/** How much a job reads: `12 messages`, `1 memory`. */
export function itemsOf({ kind, progress: { total } }: Pick<Job, 'kind' | 'progress'>): string {
  const [one, many] = kind === 'tidy' ? ['memory', 'memories'] : ['message', 'messages'];
  return `${total} ${total === 1 ? one : many}`;
}

/** `3 suggestions, 1 known before, 2 refused`. */
export function describeTidied({ tidied }: Pick<Job, 'tidied'>): string {
  if (tidied === null) return '';
  const { suggested, known, refused } = tidied;
  const head = suggested === 0 ? 'No new suggestions' : suggested === 1 ? '1 suggestion' : `${suggested} suggestions`;
  return [head, ...(known > 0 ? [`${known} known before`] : []), ...(refused > 0 ? [`${refused} refused`] : [])].join(
    ', ',
  );
}

/** `2 added, 1 superseded, 4 left alone`. */
export function describeResult({ result, progress }: Job): string {
  if (result === null) return '';
  if (progress.total === 0) return 'nothing new since the last extraction';
  return formatCounts(result) || 'nothing worth remembering was found';
}

/** Describes why the job failed, or why it is waiting. */
export function describeError(job: Job, nowMs: number): string {
  const { error, nextAttemptAt } = job;
  if (error === null) return '';
  const retry =
    nextAttemptAt === null
      ? ''
      : ` svc will retry ${formatRelativeTime(parseTimestamp(nextAttemptAt) ?? nowMs, nowMs)}.`;
  return `${printable(error.message)}${isOpen(job) ? retry : ''}`;
}

/** Formats what was done with each extracted memory. */
export function formatDecisions(decisions: readonly Decision[], look: RenderOptions): string {
  const width = Math.max(16, Math.min(look.columns, 100) - LABEL_WIDTH);
  const { style } = look;
  return decisions
    .map((decision) => {
      const isStored = decision.decision !== 'nothing';
      const label = padToWidth(decision.decision, LABEL_WIDTH);
      const content = wrap(printable(decision.content), width).map((line) => (isStored ? line : style.dim(line)));
      const facts = wrap(decisionFacts(decision).join(' · '), width).map((line) => style.dim(line));
      const [first = '', ...rest] = [...content, ...facts];
      const head = (isStored ? style.bold(label) : style.dim(label)) + first;
      return [head, ...rest.map((line) => ' '.repeat(LABEL_WIDTH) + line)].join('\n');
    })
    .join('\n');
}

function decisionFacts({ decision, memoryId, targetId, messageIds, reason }: Decision): string[] {
  const target = targetId === null ? '' : shortId(targetId);
  const relation: Record<Decision['decision'], string> = {
    add: '',
    update: `updates ${target}`,
    supersede: `replaces ${target}`,
    nothing: '',
  };
  const from = messageIds.length === 1 ? 'from 1 message' : `from ${messageIds.length} messages`;
  const facts = [memoryId === null ? '' : shortId(memoryId), target === '' ? '' : relation[decision], from];
  return [...facts, printable(reason)].filter((fact) => fact !== '');
}

/** Formats a job as one line for programs: id, state, messages read/total, conversation, provider, model, time, error code. */
export function jobRow({ id, state, progress, conversationId, provider, model, createdAt, error }: Job): string {
  const read = `${progress.done}/${progress.total}`;
  const cells = [id, state, read, conversationId ?? '', provider ?? '', model ?? '', createdAt, error?.code ?? ''];
  return cells.map((cell) => oneLine(cell)).join('\t');
}
