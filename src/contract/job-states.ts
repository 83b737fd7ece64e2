/**
 * `cancelled`: by its owner, or because its conversation or key was removed. Separate from the schemas, so that
 * importing it loads no schema library.
 */
export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** What a job does: it extracts memories from a conversation, or suggests how to tidy the memories of a user. */
export const JOB_KINDS = ['extract', 'tidy'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Whether the job has not ended yet. */
export function isOpen({ state }: { state: JobState }): boolean {
  return state === 'queued' || state === 'running';
}

/** Formats `2 added, 1 superseded, 4 left alone`; empty if the model extracted nothing. */
export function formatCounts({
  added,
  updated,
  superseded,
  nothing,
}: Record<'added' | 'updated' | 'superseded' | 'nothing', number>): string {
  const counts: [number, string][] = [
    [added, 'added'],
    [updated, 'updated'],
    [superseded, 'superseded'],
    [nothing, 'left alone'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}
