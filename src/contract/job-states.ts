/** `cancelled`: by its owner, or with the conversation or the key that it needed. Apart from the schemas. */
export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Whether there is still something to come of it. */
export function isOpen({ state }: { state: JobState }): boolean {
  return state === 'queued' || state === 'running';
}

/** `2 added, 1 superseded, 4 left alone`; empty where the model drew nothing. */
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
