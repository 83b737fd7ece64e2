/** `cancelled`: by its owner, or with the conversation or the key that it needed. Apart from the schemas. */
export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];
